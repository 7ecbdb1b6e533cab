internal import CSQLite

/// A prepared statement of SQLite. It lives shorter than its connection.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    /// The number of columns of the row on which the statement stands; 0 while it stands on none.
    private var columnCount = 0
    private var texts = RepeatedTexts()

    /// Prepares the text.
    ///
    /// - Throws: `sql.schema` when the text names what is not there.
    init(_ text: SQLText, database: OpaquePointer) throws(SQLError) {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = unsafe sqlite3_prepare_v3(database, text.description, -1, flags, &statement, nil)
        guard result == SQLITE_OK, let handle = unsafe statement else {
            throw SQLError(
                sqlite: result, message: unsafe String(cString: sqlite3_errmsg(database)), isPreparing: true)
        }
        unsafe self.handle = handle
        unsafe self.database = database
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Runs the statement to its end, and calls `take` on each row.
    func run(
        _ values: [SQLValue],
        take: () throws(SQLError) -> Void = { () throws(SQLError) in }
    ) throws(SQLError) {
        defer {
            columnCount = 0
            texts.forget()
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        guard unsafe Int(sqlite3_bind_parameter_count(handle)) == values.count else {
            throw SQLError(.badValue, detail: "\(values.count) values for another number of question marks")
        }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
        while true {
            switch unsafe sqlite3_step(handle) {
            case SQLITE_ROW:
                columnCount = unsafe Int(sqlite3_column_count(handle))
                try take()
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

    /// Copies the row on which the statement stands.
    func row() -> SQLRow { SQLRow((0..<Int32(columnCount)).map(value)) }

    private func value(of column: Int32) -> SQLValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: .double(unsafe sqlite3_column_double(handle, column))
        case SQLITE_TEXT: .text(text(of: column))
        case SQLITE_BLOB: .bytes(bytes(of: column))
        default: .null
        }
    }

    private func text(of column: Int32) -> String {
        let start = unsafe sqlite3_column_text(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe texts.text(UnsafeRawBufferPointer(start: start, count: count), in: Int(column))
    }

    private func bytes(of column: Int32) -> [UInt8] {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func error(_ result: Int32) -> SQLError {
        SQLError(
            sqlite: result, message: unsafe String(cString: sqlite3_errmsg(database)),
            hasValues: unsafe sqlite3_bind_parameter_count(handle) > 0)
    }
}

/// The values of the row on which the statement stands.
extension SQLiteStatement: SQLColumns {
    func optionalInteger(_ column: Int) throws(SQLError) -> Int64? {
        let place = try place(column)
        switch unsafe sqlite3_column_type(handle, place) {
        case SQLITE_INTEGER: return unsafe sqlite3_column_int64(handle, place)
        case SQLITE_NULL: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    func optionalText(_ column: Int) throws(SQLError) -> String? {
        let place = try place(column)
        switch unsafe sqlite3_column_type(handle, place) {
        case SQLITE_TEXT: return text(of: place)
        case SQLITE_NULL: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        let place = try place(column)
        switch unsafe sqlite3_column_type(handle, place) {
        case SQLITE_BLOB: return bytes(of: place)
        case SQLITE_NULL: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    private func place(_ column: Int) throws(SQLError) -> Int32 {
        guard (0..<columnCount).contains(column) else { throw SQLError.wrongType(column) }
        return Int32(column)
    }
}
