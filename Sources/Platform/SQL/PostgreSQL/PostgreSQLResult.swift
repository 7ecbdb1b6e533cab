internal import CPostgreSQL

/// A result of the server, freed with this value.
@safe struct PostgreSQLResult: ~Copyable {
    private let handle: OpaquePointer

    init(takingOwnership handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe PQclear(handle)
    }

    private var status: ExecStatusType { unsafe PQresultStatus(handle) }

    /// True for the mark that follows the results of a pipeline.
    var isEndOfPipeline: Bool { status == PGRES_PIPELINE_SYNC }

    /// The error of a result that the server refused; nil for other results. `isAboutRows` says that its words may have
    /// values of rows.
    func error(isAboutRows: Bool) -> SQLError? {
        switch status {
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE:
            unsafe SQLError(postgreSQL: handle, isAboutRows: isAboutRows)
        default: nil
        }
    }

    /// The command that the server carried out, such as `COMMIT` or `INSERT 0 1`.
    var command: String { unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? "" }

    /// The number of rows that the statement inserted, changed or deleted.
    var changedCount: Int {
        unsafe PQcmdTuples(handle).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// Copies of the rows.
    ///
    /// - Throws: `sql.wrong-type` for a column of a type that this program does not use.
    func rows() throws(SQLError) -> [SQLRow] {
        let rows = unsafe PostgreSQLRows(borrowing: handle)
        defer { rows.end() }
        var found: [SQLRow] = []
        while rows.next() { found.append(try rows.row()) }
        return found
    }

    /// Calls `take` with each row.
    func forEachRow(_ take: (SQLCurrentRow) throws(SQLError) -> Void) throws(SQLError) {
        let rows = unsafe PostgreSQLRows(borrowing: handle)
        defer { rows.end() }
        let row = SQLCurrentRow(of: rows)
        while rows.next() { try take(row) }
    }
}
