internal import CSQLite

/// A prepared statement of SQLite. It lives shorter than its connection.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer

    /// Prepares the text.
    ///
    /// - Throws: `sql.schema` when the text names what is not there.
    init(_ text: SQLText, database: OpaquePointer) throws(SQLError) {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = unsafe sqlite3_prepare_v3(database, text.description, -1, flags, &statement, nil)
        guard result == SQLITE_OK, let handle = unsafe statement else {
            throw SQLError(
                sqlite: result,
                message: unsafe String(cString: sqlite3_errmsg(database)),
                isPreparing: true
            )
        }
        unsafe self.handle = handle
        unsafe self.database = database
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Runs the statement to its end, and calls `take` with each row.
    func run(_ values: [SQLValue], take: (SQLRow) -> Void) throws(SQLError) {
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        guard unsafe Int(sqlite3_bind_parameter_count(handle)) == values.count else {
            throw SQLError(.badValue, detail: "\(values.count) values for another number of question marks")
        }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
        while true {
            switch unsafe sqlite3_step(handle) {
            case SQLITE_ROW: take(row())
            case SQLITE_DONE: return
            case let result: throw error(result)
            }
        }
    }

    private func bind(_ value: SQLValue, at place: Int32) throws(SQLError) {
        let result: Int32
        switch value {
        // The end of the last run has made all values NULL.
        case .null: return
        case .integer(let number): result = unsafe sqlite3_bind_int64(handle, place, number)
        case .double(let number): result = unsafe sqlite3_bind_double(handle, place, number)
        case .text(let text):
            var text = text
            result = text.withUTF8 { bytes in
                unsafe rt_sqlite_bind_text(handle, place, bytes.baseAddress, bytes.count)
            }
        case .bytes(let bytes):
            result = unsafe bytes.withUnsafeBytes { block in
                unsafe rt_sqlite_bind_blob(handle, place, block.baseAddress, block.count)
            }
        }
        guard result == SQLITE_OK else { throw error(result) }
    }

    private func row() -> SQLRow {
        let count = unsafe sqlite3_column_count(handle)
        return SQLRow((0..<count).map(value))
    }

    private func value(of column: Int32) -> SQLValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .double(unsafe sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            let start = unsafe sqlite3_column_text(handle, column)
            let count = unsafe Int(sqlite3_column_bytes(handle, column))
            let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
            return .text(unsafe String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = unsafe sqlite3_column_blob(handle, column)
            let count = unsafe Int(sqlite3_column_bytes(handle, column))
            return .bytes(unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
        default: return .null
        }
    }

    private func error(_ result: Int32) -> SQLError {
        SQLError(sqlite: result, message: unsafe String(cString: sqlite3_errmsg(database)))
    }
}
