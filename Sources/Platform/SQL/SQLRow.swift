/// The values of one row by the places of its columns, from 0. Each throws `sql.wrong-type` for a value of another type.
package protocol SQLColumns {
    func optionalInteger(_ column: Int) throws(SQLError) -> Int64?

    func optionalText(_ column: Int) throws(SQLError) -> String?

    func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]?
}

extension SQLColumns {
    package func integer(_ column: Int) throws(SQLError) -> Int64 {
        guard let number = try optionalInteger(column) else { throw SQLError.wrongType(column) }
        return number
    }

    package func text(_ column: Int) throws(SQLError) -> String {
        guard let text = try optionalText(column) else { throw SQLError.wrongType(column) }
        return text
    }

    package func bytes(_ column: Int) throws(SQLError) -> [UInt8] {
        guard let bytes = try optionalBytes(column) else { throw SQLError.wrongType(column) }
        return bytes
    }
}

extension SQLError {
    static func wrongType(_ column: Int) -> SQLError { SQLError(.wrongType, detail: "column \(column + 1)") }
}

package struct SQLRow: SQLColumns, Sendable, Hashable {
    package let values: [SQLValue]

    package init(_ values: [SQLValue]) {
        self.values = values
    }

    package func optionalInteger(_ column: Int) throws(SQLError) -> Int64? {
        switch try value(column) {
        case .integer(let number): return number
        case .null: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    package func optionalText(_ column: Int) throws(SQLError) -> String? {
        switch try value(column) {
        case .text(let text): return text
        case .null: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    package func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        switch try value(column) {
        case .bytes(let bytes): return bytes
        case .null: return nil
        default: throw SQLError.wrongType(column)
        }
    }

    private func value(_ column: Int) throws(SQLError) -> SQLValue {
        guard values.indices.contains(column) else { throw SQLError.wrongType(column) }
        return values[column]
    }
}

package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])

    package init(_ text: String?) {
        self = text.map(SQLValue.text) ?? .null
    }

    package init(_ number: Int64?) {
        self = number.map(SQLValue.integer) ?? .null
    }

    package init(_ bytes: [UInt8]?) {
        self = bytes.map(SQLValue.bytes) ?? .null
    }
}
