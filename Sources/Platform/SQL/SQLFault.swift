/// The kinds of failures of a database. They are the same for SQLite and PostgreSQL.
public enum SQLFault: Sendable, Hashable, CaseIterable {
    /// Another connection holds a lock for longer than this one waits.
    case busy
    /// The disk, or the quota of the database, is full.
    case full
    /// The database, its disk or the server takes no changes.
    case readOnly
    /// Reading or writing a file of the database failed.
    case inputOutput
    /// The file of the database cannot be opened.
    case cannotOpen
    /// The database refuses this user.
    case denied
    /// The database is damaged.
    case corrupt
    /// The file is not a SQLite database.
    case notADatabase
    /// A table, a column, an index or a function that a statement names is not there.
    case schema
    /// A row breaks a rule of its table, or a trigger refuses the row.
    case constraint
    /// The database cannot represent a value.
    case badValue
    /// The database has too little memory.
    case outOfMemory
    /// Two transactions collided, and the database ended this one.
    case serializationFailure
    /// The server accepts no more connections.
    case tooManyConnections
    /// No connection to the server came about.
    case unreachable
    /// The connection ended.
    case connectionLost
    /// The connection ended during a commit, so the transaction may be in the database or not.
    case commitUnsure
    /// A statement, or the server's answer, took longer than the limit.
    case timedOut
    /// The address of the database is malformed.
    case badAddress
    /// A column has a value of another type than the program expects.
    case wrongType
    /// The database refused a statement for a reason that this program does not know. It may pass.
    case refused

    /// The stable code.
    public var code: String {
        switch self {
        case .busy: "sql.busy"
        case .full: "sql.full"
        case .readOnly: "sql.read-only"
        case .inputOutput: "sql.input-output"
        case .cannotOpen: "sql.cannot-open"
        case .denied: "sql.denied"
        case .corrupt: "sql.corrupt"
        case .notADatabase: "sql.not-a-database"
        case .schema: "sql.schema"
        case .constraint: "sql.constraint"
        case .badValue: "sql.bad-value"
        case .outOfMemory: "sql.out-of-memory"
        case .serializationFailure: "sql.serialization-failure"
        case .tooManyConnections: "sql.too-many-connections"
        case .unreachable: "sql.unreachable"
        case .connectionLost: "sql.connection-lost"
        case .commitUnsure: "sql.commit-unsure"
        case .timedOut: "sql.timed-out"
        case .badAddress: "sql.bad-address"
        case .wrongType: "sql.wrong-type"
        case .refused: "sql.refused"
        }
    }

    /// What the caller can do about it.
    public var retry: SQLRetry {
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
    public var endsSession: Bool { self == .connectionLost || self == .readOnly }

    /// Returns true when the fault lies in the values of one row, so that the same transaction without that row may
    /// succeed.
    public var isAboutValues: Bool {
        switch self {
        case .constraint, .badValue: true
        default: false
        }
    }

    /// Returns true when the fault may lie in one row: ``isAboutValues`` says so, or the database did not say what it lies
    /// in, as when a trigger or a policy for rows, which can fail with any error, refuses one. Only another attempt without
    /// that row shows it. Locks, disks, memory, time and connections are never about one row. The fault of a login may have
    /// the same kind, so this says something only about a statement with values of a row, and about its commit.
    public var mayBeAboutOneRow: Bool {
        switch self {
        case .constraint, .badValue, .denied, .schema, .refused: true
        default: false
        }
    }
}

/// When the same work may succeed.
public enum SQLRetry: Sendable, Hashable {
    /// The same transaction may succeed when it is made again at once.
    case atOnce
    /// The same transaction may succeed later: somebody frees a lock, a disk or a server.
    case later
    /// The same transaction fails again until the program or the database is another one.
    case never
}
