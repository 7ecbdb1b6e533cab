package import SQL
package import System

package enum NotificationStoreError: CodedError, Hashable, CustomStringConvertible {
    /// The database failed. Its own error has the code.
    case database(SQLError)
    /// The database refuses one row, or drops it without an error, for a reason that this program does not know, as when a policy
    /// or a trigger of somebody else is in the way. Other rows are stored. Mend the reason that the line names; then send or import the row again.
    case rowRefused(SQLError)
    /// The address of a store begins with neither `sqlite:/` nor `postgresql://`, or its rest is malformed.
    case badAddress
    /// The URL of a receiver is malformed, has a user or a fragment, or is neither `https` nor on this machine.
    case badReceiver
    /// The address has a password. Put the password into a passfile, because addresses are printed.
    case passwordInAddress
    /// There is no store at the address.
    case missing
    /// The database at the address is not a store of this program.
    case foreign
    /// A newer release made or migrated the store, and this release may not use it.
    case newer(version: Int64)
    /// An older release made the store. `retentionctl store migrate` brings it up to date.
    case outdated(version: Int64)
    /// Tables or indexes of the store are not as this release made them.
    case schemaDiffers(SQLError)
    /// A write-ahead log lies beside a file that is empty or missing: the file of the store was lost or moved away.
    case strayLog
    /// The write-ahead log beside the file belongs to another file, as after a backup was copied over the file of a recorder that
    /// was killed. Together they are damaged, and nothing was changed. `retentionctl store restore` puts a backup in place and
    /// the old files aside.
    case foreignLog
    /// Another file has taken the place of the open one.
    case replaced
    /// The write-ahead log of the open file (`-wal`), or its index (`-shm`), was deleted or replaced. What the log had was moved
    /// into the file.
    case logDeleted
    /// Another program has the store open.
    case inUse
    /// The file of the store, or its directory, cannot be made or looked at.
    case file(code: String, text: String)
    /// The server may lose what it confirmed (`fsync` is off).
    case fsyncOff
    /// The file system cannot keep a write-ahead log, as on a network file system.
    case noWriteAheadLog
    /// The database on the server keeps texts in another encoding than UTF-8, so it cannot keep every text of Apple's.
    case serverEncoding(String)
    /// The server, or its session, takes no changes.
    case readOnlyServer
    /// There is a file already where a copy is to be made.
    case exists
    /// A JWS is longer than the store keeps.
    case tooLarge(byteCount: Int)
    /// A subscriber has more than 10,000 notifications, transactions or renewal infos, as only a test account or a mistake has,
    /// and nothing is derived from so many. `retentionctl store erase` deletes them.
    case tooManyRows
    /// The identifier of a subscriber, a cursor or a cut is empty or too long.
    case badArgument
    /// The function exists for SQLite alone; PostgreSQL has programs for it.
    case onlySQLite
    /// A row lacks something that belongs to it, so its JWS cannot be rebuilt.
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
        case .rowRefused: .later
        case .replaced, .logDeleted, .inUse, .file, .fsyncOff, .readOnlyServer, .strayLog, .foreignLog,
            .missing:
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
