internal import CSQLite

/// A prepared statement of SQLite. It lives shorter than its connection.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer

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

    func run(_ values: [SQLValue], take: () -> Void = {}) throws(SQLError) {
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
            case SQLITE_ROW: take()
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

    func row() -> SQLRow { SQLRow(unsafe (0..<sqlite3_column_count(handle)).map(value)) }

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
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
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

extension SQLError {
    /// Makes the error for a result of SQLite. SQLite's own words name tables and columns. Those of a trigger, or of a
    /// function that one calls, may have any value of a row, and are left out.
    init(sqlite result: Int32, message: String, isPreparing: Bool = false, hasValues: Bool = false) {
        var fault = Self.fault(ofExtended: result) ?? Self.fault(ofPrimary: result & 0xFF)
        if isPreparing, fault == .refused { fault = .schema }
        let isOfTrigger = result == Self.sqliteResult(SQLITE_CONSTRAINT, 7)  // SQLITE_CONSTRAINT_TRIGGER
        let hidesWords = isOfTrigger || hasValues && result & 0xFF == SQLITE_ERROR
        self.init(fault, detail: hidesWords ? "SQLite \(result)" : "\(message) (SQLite \(result))")
    }

    private static func fault(ofExtended result: Int32) -> SQLFault? {
        switch result {
        case sqliteResult(SQLITE_IOERR, 12): .outOfMemory  // SQLITE_IOERR_NOMEM
        case sqliteResult(SQLITE_IOERR, 33): .corrupt  // SQLITE_IOERR_CORRUPTFS
        default: nil
        }
    }

    private static func fault(ofPrimary result: Int32) -> SQLFault {
        switch result {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_IOERR, SQLITE_NOLFS: .inputOutput
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_PERM, SQLITE_AUTH: .denied
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_SCHEMA: .schema
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE: .badValue
        case SQLITE_NOMEM: .outOfMemory
        case SQLITE_INTERRUPT: .timedOut
        default: .refused
        }
    }

    /// An extended result: a kind, and a number in the second byte. Their names in C are macros that Swift does not see.
    private static func sqliteResult(_ primary: Int32, _ number: Int32) -> Int32 { primary | number << 8 }
}
