internal import Cryptography
internal import SQL
internal import System

enum StoreTable: String, Sendable, CaseIterable {
    case notifications
    case transactions
    case renewals
    case appTransactions = "app_transactions"

    var name: SQLText {
        switch self {
        case .notifications: "notifications"
        case .transactions: "transactions"
        case .renewals: "renewals"
        case .appTransactions: "app_transactions"
        }
    }

    var leading: [SQLText] {
        switch self {
        case .notifications: ["app", "environment", "uuid", "source", "received_at"]
        default: ["digest", "app", "environment", "source", "received_at"]
        }
    }

    var payload: ColumnTable {
        switch self {
        case .notifications: NotificationColumns.table
        case .transactions: TransactionColumns.table
        case .renewals: RenewalColumns.table
        case .appTransactions: AppTransactionColumns.table
        }
    }

    var payloadColumns: [SQLText] { payload.names }

    /// The statements that add the columns of a later version to their tables.
    static func additions(in version: Int64) -> [SQLText] {
        allCases.flatMap { $0.payload.additions(to: $0, in: version) }
    }

    static let nestedColumns: [SQLText] = [
        "transaction_digest", "transaction_offset", "transaction_fault",
        "renewal_digest", "renewal_offset", "renewal_fault",
        "app_transaction_digest", "app_transaction_offset", "app_transaction_fault",
    ]

    static let jwsColumns: [SQLText] = ["unfit", "header_id", "signature", "payload", "raw"]

    var columns: [SQLText] {
        leading + payloadColumns + (self == .notifications ? Self.nestedColumns : []) + Self.jwsColumns
    }

    var insertion: SQLText {
        let marks = [SQLText](repeating: "?", count: columns.count)
        return "INSERT INTO " + name + " (" + .list(columns) + ") VALUES (" + .list(marks) + ") ON CONFLICT ("
            + .list(Array(leading[..<keyCount])) + ") DO NOTHING"
    }

    /// How many of the leading columns the unique index has by which a second copy of a row is recognized.
    var keyCount: Int { self == .notifications ? 3 : 1 }

    var search: SQLText {
        let key: SQLText =
            self == .notifications ? "app = ? AND environment = ? AND uuid = ?" : "digest = ?"
        return "SELECT 1 FROM " + name + " WHERE " + key
    }

    /// The insertions of all tables. Making a text takes longer than using it.
    static let insertions = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.insertion) })
}

/// All are optional: a value that the payload lacks, or that does not fit its column, is NULL.
package protocol ColumnSet: Sendable, Hashable {
    init()
}

protocol TableColumns: ColumnSet {
    mutating func visit(_ visitor: inout some ColumnVisitor)

    /// What is read beside the columns, because a value has none.
    static var addition: SQLText? { get }

    /// What is known of the columns; each set keeps what ``makeTable()`` returns.
    static var table: ColumnTable { get }

    mutating func take(_ addition: [UInt8])

    /// The columns of members that are not the last name of a column's source, such as of the object around it.
    static var otherMembers: [String: [String]] { get }
}

extension TableColumns {
    static var addition: SQLText? { nil }
    static var otherMembers: [String: [String]] { [:] }
    mutating func take(_: [UInt8]) {}

    static var readNames: [SQLText] { names + [addition].compactMap { $0 } }

    static func makeTable() -> ColumnTable {
        var (columns, visitor) = (Self(), ColumnTable())
        columns.visit(&visitor)
        return visitor
    }

    static var names: [SQLText] { table.names }

    static var members: [String: [String]] { table.members.merging(otherMembers) { $0 + $1 } }

    static func unfit(_ unusable: [String]) -> Set<String> {
        guard !unusable.isEmpty else { return [] }
        let members = Self.members
        return Set(unusable.flatMap { members[$0] ?? [] })
    }

    /// A value that does not fit is NULL, and the name of its column is added to `unfit`.
    func values(after leading: [SQLValue], marking unfit: inout Set<String>) -> [SQLValue] {
        var (columns, visitor) = (self, ColumnValues(leading, unfit: unfit))
        columns.visit(&visitor)
        unfit = visitor.unfit
        return visitor.values
    }

    init(_ row: SQLRow, from place: Int) throws(SQLError) {
        self.init()
        var visitor = ColumnReading(row, from: place)
        visit(&visitor)
        if let error = visitor.error { throw error }
        guard Self.addition != nil, let bytes = try row.optionalBytes(visitor.place) else { return }
        take(bytes)
    }
}

enum UnfitColumns {
    static func value(_ names: Set<String>) -> SQLValue {
        names.isEmpty ? .null : .text(names.sorted().joined(separator: " "))
    }

    static func names(_ text: String?) -> Set<String> {
        guard let text else { return [] }
        return Set(text.split(separator: " ").map(String.init))
    }
}

/// The set calls it with each column's name and property, its meaning, and the member of the payload, in the order of
/// the statements.
protocol ColumnVisitor {
    mutating func callAsFunction(_ name: StaticString, _: inout String?, _: StaticString, _: StaticString)
    mutating func callAsFunction(_ name: StaticString, _: inout Int64?, _: StaticString, _: StaticString)
    mutating func callAsFunction(_ name: StaticString, _: inout Bool?, _: StaticString, _: StaticString)

    /// The columns behind this call came with this version of the tables.
    mutating func since(_ version: Int64)
}

extension ColumnVisitor {
    mutating func since(_: Int64) {}

    mutating func callAsFunction(_ name: StaticString, _ value: inout String?, _ meaning: StaticString) {
        callAsFunction(name, &value, meaning, "")
    }
}

struct ColumnTable: ColumnVisitor, Sendable {
    private(set) var names: [SQLText] = []
    /// Those of version 1, in the statement that makes the table.
    private(set) var definitions: SQLText = ""
    private(set) var members: [String: [String]] = [:]
    private var version: Int64 = 1
    private(set) var later: [(version: Int64, name: SQLText, type: SQLText, comment: SQLText)] = []

    mutating func since(_ version: Int64) { self.version = version }

    /// The statements that add the columns of a later version.
    func additions(to table: StoreTable, in version: Int64) -> [SQLText] {
        later.filter { $0.version == version }
            .map { $0.comment + "\nALTER TABLE " + table.name + " ADD COLUMN " + $0.name + $0.type }
    }

    private mutating func add(
        _ name: StaticString, _ type: SQLText, _ meaning: StaticString, _ member: StaticString
    ) {
        names.append(SQLText(name))
        var comment = "-- " + SQLText(meaning)
        if !member.description.isEmpty { comment += " Source: " + SQLText(member) + "." }
        if version == 1 {
            definitions += "\n    " + comment + "\n    " + SQLText(name) + type + ","
        } else {
            later.append((version, SQLText(name), type, comment))
        }
        guard let last = member.description.split(separator: ".").last else { return }
        members[String(last), default: []].append(name.description)
    }

    mutating func callAsFunction(
        _ n: StaticString, _: inout String?, _ meaning: StaticString, _ from: StaticString
    ) {
        add(n, " TEXT", meaning, from)
    }
    mutating func callAsFunction(
        _ n: StaticString, _: inout Int64?, _ meaning: StaticString, _ from: StaticString
    ) {
        add(n, " INTEGER", meaning, from)
    }
    mutating func callAsFunction(
        _ n: StaticString, _: inout Bool?, _ meaning: StaticString, _ from: StaticString
    ) {
        add(n, " INTEGER", meaning, from)
    }
}

struct ColumnValues: ColumnVisitor {
    private(set) var values: [SQLValue] = []
    private(set) var unfit: Set<String>

    init(_ leading: [SQLValue], unfit: Set<String>) {
        self.unfit = unfit
        values.reserveCapacity(60)
        values += leading
    }

    mutating func callAsFunction(
        _ name: StaticString, _ text: inout String?, _: StaticString, _: StaticString
    ) {
        guard let text else { return values.append(.null) }
        if ColumnText.fits(text) { return values.append(.text(text)) }
        unfit.insert(name.description)
        values.append(.null)
    }

    mutating func callAsFunction(_: StaticString, _ number: inout Int64?, _: StaticString, _: StaticString) {
        values.append(SQLValue(number))
    }
    mutating func callAsFunction(_: StaticString, _ flag: inout Bool?, _: StaticString, _: StaticString) {
        values.append(SQLValue(flag.map { $0 ? 1 : 0 }))
    }
}

struct ColumnReading: ColumnVisitor {
    private let row: SQLRow
    private(set) var place: Int
    private(set) var error: SQLError?

    init(_ row: SQLRow, from place: Int) {
        self.row = row
        self.place = place
    }

    mutating func callAsFunction(_: StaticString, _ text: inout String?, _: StaticString, _: StaticString) {
        guard error == nil else { return }
        do throws(SQLError) { text = try row.optionalText(place) } catch { self.error = error }
        place += 1
    }

    mutating func callAsFunction(_: StaticString, _ number: inout Int64?, _: StaticString, _: StaticString) {
        guard error == nil else { return }
        do throws(SQLError) { number = try row.optionalInteger(place) } catch { self.error = error }
        place += 1
    }

    mutating func callAsFunction(_: StaticString, _ flag: inout Bool?, _: StaticString, _: StaticString) {
        var number: Int64?
        callAsFunction("", &number, "", "")
        if error == nil { flag = number.map { $0 != 0 } }
    }
}

enum ColumnText {
    /// The most bytes of a text. Apple's identifiers are shorter, and PostgreSQL cannot index a text of some thousand bytes.
    static let byteCount = 512

    static func fits(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        return bytes.count <= byteCount && ByteComparison.firstIndex(of: 0, in: bytes, from: 0) == nil
    }
}
