package import System

package struct SQLError: CodedError, Hashable, CustomStringConvertible {
    package let fault: SQLFault
    /// The database's number and words for people. It never contains values of a row.
    package let detail: String

    package init(_ fault: SQLFault, detail: String = "") {
        self.fault = fault
        self.detail = detail
    }

    package var code: String { fault.code }

    package var exitStatus: ExitStatus {
        switch fault {
        case .unreachable, .connectionLost, .tooManyConnections, .commitUnsure, .timedOut, .busy,
            .serializationFailure:
            .unreachable
        case .badAddress: .usage
        case .outOfMemory: .ours
        default: .data
        }
    }

    package var description: String { detail.isEmpty ? words : "\(words): \(detail)" }

    package static func == (one: SQLError, other: SQLError) -> Bool { one.fault == other.fault }

    package func hash(into hasher: inout Hasher) {
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

package enum SQLFault: String, Sendable, Hashable, CaseIterable {
    case busy = "sql.busy"
    case full = "sql.full"
    case readOnly = "sql.read-only"
    case inputOutput = "sql.input-output"
    case cannotOpen = "sql.cannot-open"
    case denied = "sql.denied"
    case corrupt = "sql.corrupt"
    case notADatabase = "sql.not-a-database"
    case schema = "sql.schema"
    case constraint = "sql.constraint"
    case badValue = "sql.bad-value"
    case outOfMemory = "sql.out-of-memory"
    case serializationFailure = "sql.serialization-failure"
    case tooManyConnections = "sql.too-many-connections"
    case unreachable = "sql.unreachable"
    case connectionLost = "sql.connection-lost"
    case commitUnsure = "sql.commit-unsure"
    case timedOut = "sql.timed-out"
    case badAddress = "sql.bad-address"
    case wrongType = "sql.wrong-type"
    case refused = "sql.refused"

    package var code: String { rawValue }

    package var retry: SQLRetry {
        switch self {
        case .serializationFailure: .atOnce
        case .busy, .full, .readOnly, .inputOutput, .cannotOpen, .denied, .outOfMemory, .tooManyConnections,
            .unreachable, .connectionLost, .commitUnsure, .timedOut, .refused:
            .later
        case .corrupt, .notADatabase, .schema, .constraint, .badValue, .badAddress, .wrongType: .never
        }
    }

    /// Returns true when a server ended the session, or takes no changes, as the former primary of a cluster does. A new session
    /// may come to another server.
    package var endsSession: Bool { self == .connectionLost || self == .readOnly }

    /// Returns true when the fault lies in the values of one row, so that the same transaction without that row may succeed.
    package var isAboutValues: Bool {
        switch self {
        case .constraint, .badValue: true
        default: false
        }
    }

    /// Returns true when the fault may lie in one row: ``isAboutValues`` says so, or the database did not say what it lies
    /// in, as when a trigger or a policy for rows refuses one. Only another attempt without that row shows it. This says
    /// something only about a statement with values of a row, and about its commit.
    package var mayBeAboutOneRow: Bool {
        switch self {
        case .constraint, .badValue, .denied, .schema, .refused: true
        default: false
        }
    }
}

/// When the same work may succeed.
package enum SQLRetry: Sendable, Hashable {
    case atOnce
    case later
    case never
}
