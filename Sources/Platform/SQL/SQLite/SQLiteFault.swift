internal import CSQLite

extension SQLError {
    /// Makes the error for a result of SQLite.
    ///
    /// SQLite's own words name tables and columns. Those of a trigger, or of a function that one calls, may have any value of a
    /// row, and are left out.
    ///
    /// - Parameters:
    ///   - result: the extended result.
    ///   - message: SQLite's words.
    ///   - isPreparing: true for a text that is not run yet.
    ///   - hasValues: true for a statement with values of rows.
    init(sqlite result: Int32, message: String, isPreparing: Bool = false, hasValues: Bool = false) {
        var fault = Self.fault(ofExtended: result) ?? Self.fault(ofPrimary: result & 0xFF)
        if isPreparing, fault == .refused { fault = .schema }
        let isOfTrigger = result == Self.sqliteResult(SQLITE_CONSTRAINT, 7)  // SQLITE_CONSTRAINT_TRIGGER
        let hidesWords = isOfTrigger || hasValues && result & 0xFF == SQLITE_ERROR
        self.init(fault, detail: hidesWords ? "SQLite \(result)" : "\(message) (SQLite \(result))")
    }

    /// The fault of results whose extended number says more than their lowest byte.
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
