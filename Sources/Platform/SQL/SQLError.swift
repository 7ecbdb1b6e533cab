public import Vocabulary

/// The reason why a database did not do what it was asked.
public struct SQLError: CodedError, Hashable, CustomStringConvertible {
    public let fault: SQLFault
    /// The database's number and words for people. It never contains values of a row.
    public let detail: String

    public init(_ fault: SQLFault, detail: String = "") {
        self.fault = fault
        self.detail = detail
    }

    /// The stable code, for example `sql.full`.
    public var code: String { fault.code }

    /// The error as one line for people.
    public var description: String { detail.isEmpty ? words : "\(words): \(detail)" }

    /// Two errors are equal when their faults are. The database's words are not compared.
    public static func == (one: SQLError, other: SQLError) -> Bool { one.fault == other.fault }

    /// Hashes the field that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fault)
    }

    private var words: String {
        switch fault {
        case .busy: "another connection holds a lock"
        case .full: "the database has no room"
        case .readOnly: "the database takes no changes"
        case .inputOutput: "the database's files cannot be read or written"
        case .cannotOpen: "the database's file cannot be opened"
        case .denied: "the database refuses the user"
        case .corrupt: "the database is damaged"
        case .notADatabase: "the file is not a SQLite database"
        case .schema: "the database lacks a table, a column, an index or a function"
        case .constraint: "a row breaks a rule of its table"
        case .badValue: "the database cannot represent a value"
        case .outOfMemory: "the database has too little memory"
        case .serializationFailure: "two transactions collided"
        case .tooManyConnections: "the server accepts no more connections"
        case .unreachable: "no connection to the server"
        case .connectionLost: "the connection to the server ended"
        case .commitUnsure: "the connection ended during a commit"
        case .timedOut: "the database took too long"
        case .badAddress: "the address of the database is malformed"
        case .wrongType: "a value has an unexpected type"
        case .refused: "the database refused a statement"
        }
    }
}
