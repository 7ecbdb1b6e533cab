package import SQL
package import System

package enum NotificationStoreError: CodedError, Hashable, CustomStringConvertible {
    case database(SQLError)
    /// The database refuses one row, or drops it without an error, for a reason that this program does not know, as when a
    /// policy or a trigger of somebody else is in the way. Other rows are stored.
    case rowRefused(SQLError)
    case badAddress
    case badReceiver
    case passwordInAddress
    case missing
    case foreign
    case newer(version: Int64)
    case outdated(version: Int64)
    case schemaDiffers(SQLError)
    case strayLog
    case foreignLog
    case replaced
    case logDeleted
    case inUse
    case file(code: String, text: String)
    case fsyncOff
    case noWriteAheadLog
    case serverEncoding(String)
    case readOnlyServer
    case exists
    case tooLarge(byteCount: Int)
    case tooManyRows
    case badArgument
    case onlySQLite
    case incompleteRow

    package var code: String {
        switch self {
        case .database(let error): error.code
        case .rowRefused: "store.row-refused"
        case .badAddress: "store.bad-address"
        case .badReceiver: "forward.bad-url"
        case .passwordInAddress: "store.password-in-address"
        case .missing: "store.missing"
        case .foreign: "store.foreign"
        case .newer: "store.newer"
        case .outdated: "store.outdated"
        case .schemaDiffers: "store.schema-differs"
        case .strayLog: "store.stray-log"
        case .foreignLog: "store.foreign-log"
        case .replaced: "store.replaced"
        case .logDeleted: "store.log-deleted"
        case .inUse: "store.in-use"
        case .file: "store.file"
        case .fsyncOff: "store.fsync-off"
        case .noWriteAheadLog: "store.no-write-ahead-log"
        case .serverEncoding: "store.server-encoding"
        case .readOnlyServer: "store.read-only-server"
        case .exists: "store.exists"
        case .tooLarge: "store.too-large"
        case .tooManyRows: "store.too-many-rows"
        case .badArgument: "store.bad-argument"
        case .onlySQLite: "store.only-sqlite"
        case .incompleteRow: "store.incomplete-row"
        }
    }

    package var exitStatus: ExitStatus {
        switch self {
        case .badAddress, .badReceiver, .passwordInAddress, .badArgument, .onlySQLite: .usage
        case .database(let error), .rowRefused(let error): error.exitStatus
        default: .data
        }
    }

    /// True when the fault lies in one item, so that the store may take others.
    package var isAboutItem: Bool {
        switch self {
        case .database(let error): error.fault.isAboutValues
        case .tooLarge, .rowRefused: true
        default: false
        }
    }

    package var retry: SQLRetry {
        switch self {
        case .database(let error): error.fault.retry
        case .rowRefused, .replaced, .logDeleted, .inUse, .file, .fsyncOff, .readOnlyServer, .strayLog,
            .foreignLog, .missing:
            .later
        default: .never
        }
    }

    package var description: String {
        switch self {
        case .database(let error): error.description
        case .rowRefused(let error): "the database refuses this row: \(error)"
        case .badAddress: "not an address of a store: sqlite:/absolute/path or postgresql://…"
        case .badReceiver:
            "a receiver needs an https URL without user and fragment; http is for this machine alone"
        case .passwordInAddress: "the address has a password; put it into a passfile"
        case .missing: "there is no store"
        case .foreign: "the database is not a store of this program"
        case .newer(let version): "the store has version \(version), which is newer than this program"
        case .outdated(let version): "the store has version \(version); run retentionctl store migrate"
        case .schemaDiffers(let error): "the tables are not as this program made them: \(error.detail)"
        case .strayLog: "a write-ahead log lies beside an empty or missing file"
        case .foreignLog:
            "the log (-wal) beside the store's file belongs to another file, and together they are damaged; nothing was "
                + "changed: stop what uses the store, and put a backup in place with retentionctl store restore"
        case .replaced: "another file has taken the place of the store's file"
        case .logDeleted: "the log (-wal) or its index (-shm) beside the store's file was deleted or replaced"
        case .inUse: "another program has the store open; stop it first"
        case .file(_, let text): "the store's file: \(text)"
        case .fsyncOff: "the server runs with fsync=off and may lose what it confirmed"
        case .noWriteAheadLog: "the file system cannot keep a write-ahead log"
        case .serverEncoding(let name): "the database has the encoding \(name), not UTF8"
        case .readOnlyServer: "the server takes no changes"
        case .exists: "there is a file already"
        case .tooLarge(let count): "a JWS of \(count) bytes"
        case .tooManyRows: "the subscriber has more than 10000 notifications, transactions or renewal infos"
        case .badArgument: "an identifier or a name is empty or too long"
        case .onlySQLite: "PostgreSQL has its own programs for this"
        case .incompleteRow: "a row lacks something that belongs to it"
        }
    }
}
