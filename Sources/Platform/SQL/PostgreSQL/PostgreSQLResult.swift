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

    /// The error of a result that the server refused; nil for other results.
    var error: SQLError? {
        switch status {
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE: unsafe SQLError(postgreSQL: handle)
        default: nil
        }
    }

    /// The command that the server carried out, such as `COMMIT` or `INSERT 0 1`.
    var command: String { unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? "" }

    /// The number of rows that the statement inserted, changed or deleted.
    var changedCount: Int {
        unsafe PQcmdTuples(handle).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// The rows.
    ///
    /// - Throws: `sql.wrong-type` for a column of a type that this program does not use.
    func rows() throws(SQLError) -> [SQLRow] {
        let columns = unsafe PQnfields(handle)
        let types = (0..<columns).map { unsafe PQftype(handle, $0) }
        var rows: [SQLRow] = []
        let count = unsafe PQntuples(handle)
        for row in 0..<count {
            var values: [SQLValue] = []
            values.reserveCapacity(Int(columns))
            for column in 0..<columns {
                values.append(try value(row: row, column: column, type: types[Int(column)]))
            }
            rows.append(SQLRow(values))
        }
        return rows
    }

    /// Decodes a value in the binary form of its type. The numbers of the types are those of pg_type.dat.
    private func value(row: Int32, column: Int32, type: Oid) throws(SQLError) -> SQLValue {
        guard unsafe PQgetisnull(handle, row, column) == 0 else { return .null }
        let count = unsafe Int(PQgetlength(handle, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(handle, row, column), count: count)
        switch (type, count) {
        case (16, 1), (20, 8), (21, 2), (23, 4):
            let isNegative = unsafe type != 16 && bytes[0] & 0x80 != 0
            let number = unsafe bytes.reduce(isNegative ? -1 : Int64(0)) { $0 << 8 | Int64($1) }
            return .integer(number)
        case (701, 8):
            return .double(Double(bitPattern: unsafe bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        case (17, _): return .bytes(unsafe Array(bytes))
        case (18, _), (19, _), (25, _), (1042, _), (1043, _):
            return .text(unsafe String(decoding: bytes, as: UTF8.self))
        default: throw SQLError(.wrongType, detail: "column \(column + 1) has type \(type)")
        }
    }
}
