internal import CPostgreSQL

@safe struct PostgreSQLResult: ~Copyable {
    private let handle: OpaquePointer

    init(takingOwnership handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe PQclear(handle)
    }

    private var status: ExecStatusType { unsafe PQresultStatus(handle) }
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

    var command: String { unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? "" }

    var changedCount: Int {
        unsafe PQcmdTuples(handle).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    func rows() throws(SQLError) -> [SQLRow] {
        let types = unsafe (0..<PQnfields(handle)).map { unsafe PQftype(handle, $0) }
        var found: [SQLRow] = []
        for row in 0..<(unsafe PQntuples(handle)) {
            var values: [SQLValue] = []
            values.reserveCapacity(types.count)
            for (column, type) in types.enumerated() { values.append(try value(row, Int32(column), type)) }
            found.append(SQLRow(values))
        }
        return found
    }

    /// The value in the binary form that the type of the column has (PostgreSQL, `pg_type.dat`).
    private func value(_ row: Int32, _ column: Int32, _ type: Oid) throws(SQLError) -> SQLValue {
        guard unsafe PQgetisnull(handle, row, column) == 0 else { return .null }
        let count = unsafe Int(PQgetlength(handle, row, column))
        let block = unsafe UnsafeRawBufferPointer(start: PQgetvalue(handle, row, column), count: count)
        switch (type, count) {
        case (16, 1), (20, 8), (21, 2), (23, 4):
            let isNegative = unsafe type != 16 && block[0] & 0x80 != 0
            return .integer(unsafe block.reduce(isNegative ? -1 : Int64(0)) { $0 << 8 | Int64($1) })
        case (701, 8): return .double(Double(bitPattern: unsafe block.reduce(0) { $0 << 8 | UInt64($1) }))
        case (17, _): return .bytes(unsafe Array(block))
        case (18, _), (19, _), (25, _), (1042, _), (1043, _):
            return .text(unsafe String(decoding: block, as: UTF8.self))
        default: throw SQLError(.wrongType, detail: "column \(column + 1) has type \(type)")
        }
    }
}

extension SQLError {
    /// Makes the error of a result that the server refused. The server's words go along only when they cannot have a value
    /// of a row: a trigger may fail with any SQLSTATE and any words, and a function that the words are from is named in the
    /// context.
    init(postgreSQL result: OpaquePointer, isAboutRows: Bool) {
        func field(_ code: Int) -> String? {
            unsafe PQresultErrorField(result, Int32(code)).map { unsafe String(cString: $0) }
        }
        let state = field(RT_PG_SQLSTATE) ?? ""
        let fault = SQLFault(sqlState: state)
        var detail = ["SQLSTATE \(state)"]
        let hidesWords = isAboutRows || fault.isAboutValues || field(RT_PG_CONTEXT) != nil
        if !hidesWords, let words = field(RT_PG_MESSAGE) {
            detail.append(words)
        } else {
            detail += [field(RT_PG_TABLE), field(RT_PG_COLUMN), field(RT_PG_CONSTRAINT)].compactMap(\.self)
        }
        self.init(fault, detail: detail.joined(separator: ", "))
    }

    /// Makes the error of a connection that did not come about. `message` is libpq's, in its verbose form, which has the
    /// number of an error of the server behind the severity: `FATAL:  53300: sorry, too many clients already`.
    init(connecting message: String) {
        let line = message.split(separator: "\n").first.map(String.init) ?? ""
        let words = line.split(separator: " ").first { word in
            word.utf8.count == 6 && word.hasSuffix(":")
                && word.dropLast().allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
                && word.contains(where: \.isNumber)
        }
        guard let state = words?.dropLast() else {
            self.init(.unreachable, detail: line)
            return
        }
        let fault = SQLFault(sqlState: String(state))
        // "The server is starting up" and the like end a session that exists; here none came about. Nor is there a row yet
        // whose values could be wrong: the server refuses a setting of the session.
        let isOther = fault == .connectionLost || fault == .refused || fault.isAboutValues
        self.init(isOther ? .unreachable : fault, detail: line)
    }
}

extension SQLFault {
    /// The fault for a SQLSTATE (PostgreSQL documentation, appendix "PostgreSQL Error Codes").
    init(sqlState state: String) {
        self =
            switch state {
            case "40001", "40P01": .serializationFailure
            case "53100": .full
            case "53200": .outOfMemory
            case "53300": .tooManyConnections
            case "25006": .readOnly
            case "42501": .denied
            case "55P03": .busy
            case "57014", "25P03", "25P04": .timedOut
            case "58030": .inputOutput
            case "3D000", "3F000": .schema
            // A value is too long for its index. The other numbers of this class are about statements.
            case "54000": .badValue
            // A trigger raised an exception for a row.
            case "P0001", "P0004": .constraint
            case "XX001", "XX002": .corrupt
            case "57P01", "57P02", "57P03", "57P05": .connectionLost
            default: SQLFault(sqlStateClass: String(state.prefix(2)))
            }
    }

    private init(sqlStateClass: String) {
        self =
            switch sqlStateClass {
            case "08": .connectionLost
            case "22": .badValue
            case "23", "44": .constraint
            case "28": .denied
            case "42": .schema
            case "58": .inputOutput
            default: .refused
            }
    }
}
