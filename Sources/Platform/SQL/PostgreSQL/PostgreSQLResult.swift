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
        let rows = unsafe PostgreSQLRows(borrowing: handle)
        defer { rows.end() }
        var found: [SQLRow] = []
        while rows.next() { found.append(try rows.row()) }
        return found
    }

    func forEachRow(_ take: (any SQLColumns) throws(SQLError) -> Void) throws(SQLError) {
        let rows = unsafe PostgreSQLRows(borrowing: handle)
        defer { rows.end() }
        while rows.next() { try take(rows) }
    }
}

/// The rows of a result, one after the other. It borrows the result until ``end()``.
@safe final class PostgreSQLRows {
    private let result: OpaquePointer
    private let types: [Oid]
    private var count: Int32
    private var place: Int32 = -1

    init(borrowing result: OpaquePointer) {
        unsafe self.result = result
        let columns = unsafe PQnfields(result)
        types = (0..<columns).map { unsafe PQftype(result, $0) }
        count = unsafe PQntuples(result)
    }

    func next() -> Bool {
        place = min(place + 1, count)
        return place < count
    }

    func end() { count = 0 }

    func row() throws(SQLError) -> SQLRow {
        var values: [SQLValue] = []
        values.reserveCapacity(types.count)
        for column in types.indices { values.append(try value(column)) }
        return SQLRow(values)
    }

    private enum Form {
        case integer
        case double
        case bytes
        case text
        case other
    }

    private func form(_ column: Int, byteCount: Int) -> Form {
        switch (types[column], byteCount) {
        case (16, 1), (20, 8), (21, 2), (23, 4): .integer
        case (701, 8): .double
        case (17, _): .bytes
        case (18, _), (19, _), (25, _), (1042, _), (1043, _): .text
        default: .other
        }
    }

    private func value(_ column: Int) throws(SQLError) -> SQLValue {
        guard let block = unsafe try block(column) else { return .null }
        switch form(column, byteCount: block.count) {
        case .integer: return unsafe .integer(integer(in: block, isBoolean: types[column] == 16))
        case .double: return .double(Double(bitPattern: unsafe block.reduce(0) { $0 << 8 | UInt64($1) }))
        case .bytes: return .bytes(unsafe Array(block))
        case .text: return .text(unsafe String(decoding: block, as: UTF8.self))
        case .other:
            throw SQLError(.wrongType, detail: "column \(column + 1) has type \(types[column])")
        }
    }

    private func block(_ column: Int) throws(SQLError) -> UnsafeRawBufferPointer? {
        guard types.indices.contains(column), (0..<count).contains(place) else {
            throw SQLError.wrongType(column)
        }
        let number = Int32(column)
        guard unsafe PQgetisnull(result, place, number) == 0 else { return nil }
        let length = unsafe Int(PQgetlength(result, place, number))
        return unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, place, number), count: length)
    }

    private func integer(in block: UnsafeRawBufferPointer, isBoolean: Bool) -> Int64 {
        let isNegative = unsafe !isBoolean && block[0] & 0x80 != 0
        return unsafe block.reduce(isNegative ? -1 : Int64(0)) { $0 << 8 | Int64($1) }
    }
}

extension PostgreSQLRows: SQLColumns {
    func optionalInteger(_ column: Int) throws(SQLError) -> Int64? {
        guard let block = unsafe try block(column) else { return nil }
        guard form(column, byteCount: block.count) == .integer else { throw SQLError.wrongType(column) }
        return unsafe integer(in: block, isBoolean: types[column] == 16)
    }

    func optionalText(_ column: Int) throws(SQLError) -> String? {
        guard let block = unsafe try block(column) else { return nil }
        guard form(column, byteCount: block.count) == .text else { throw SQLError.wrongType(column) }
        return unsafe String(decoding: block, as: UTF8.self)
    }

    func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        guard let block = unsafe try block(column) else { return nil }
        guard form(column, byteCount: block.count) == .bytes else { throw SQLError.wrongType(column) }
        return unsafe Array(block)
    }
}
