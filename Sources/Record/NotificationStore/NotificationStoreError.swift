package import SQL
package import System

package struct NotificationStoreError: CodedError, Hashable, CustomStringConvertible {
    package let code: String
    package let description: String
    package let exitStatus: ExitStatus
    package let retry: SQLRetry
    /// True when the fault lies in one item, so that the store may take others.
    package let isAboutItem: Bool
    /// What the database said; nil when the error is not one of the database.
    let fault: SQLFault?

    private init(
        code: String, _ description: String, _ exitStatus: ExitStatus = .data, retry: SQLRetry = .never,
        isAboutItem: Bool = false, fault: SQLFault? = nil
    ) {
        self.code = code
        self.description = description
        self.exitStatus = exitStatus
        self.retry = retry
        self.isAboutItem = isAboutItem
        self.fault = fault
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    package static func database(_ error: SQLError) -> Self {
        Self(
            code: error.code, error.description, error.exitStatus, retry: error.fault.retry,
            isAboutItem: error.fault.isAboutValues, fault: error.fault)
    }

    /// For a reason that this program does not know, such as a policy or a trigger of somebody else. Other rows are
    /// stored.
    package static func rowRefused(_ error: SQLError) -> Self {
        Self(
            code: "store.row-refused", "the database refuses this row: \(error)", error.exitStatus,
            retry: .later, isAboutItem: true)
    }

    package static let badAddress = Self(
        code: "store.bad-address", "not an address of a store: sqlite:/absolute/path or postgresql://…",
        .usage)
    package static let badReceiver = Self(
        code: "forward.bad-url",
        "a receiver needs an https URL without user and fragment; http is for this machine alone", .usage)
    package static let passwordInAddress = Self(
        code: "store.password-in-address", "the address has a password; put it into a passfile", .usage)
    package static let missing = Self(code: "store.missing", "there is no store", retry: .later)
    package static let foreign = Self(code: "store.foreign", "the database is not a store of this program")

    package static func newer(version: Int64) -> Self {
        Self(code: "store.newer", "the store has version \(version), which is newer than this program")
    }

    package static func outdated(version: Int64) -> Self {
        Self(code: "store.outdated", "the store has version \(version); run retentionctl store migrate")
    }

    package static func schemaDiffers(_ error: SQLError) -> Self {
        Self(code: "store.schema-differs", "the tables are not as this program made them: \(error.detail)")
    }

    package static let strayLog = Self(
        code: "store.stray-log", "a write-ahead log lies beside an empty or missing file", retry: .later)
    package static let foreignLog = Self(
        code: "store.foreign-log",
        "the log (-wal) beside the store's file belongs to another file, and together they are damaged; nothing was "
            + "changed: stop what uses the store, and put a backup in place with retentionctl store restore",
        retry: .later)
    package static let replaced = Self(
        code: "store.replaced", "another file has taken the place of the store's file", retry: .later)
    package static let logDeleted = Self(
        code: "store.log-deleted",
        "the log (-wal) or its index (-shm) beside the store's file was deleted or replaced", retry: .later)
    package static let inUse = Self(
        code: "store.in-use", "another program has the store open; stop it first", retry: .later)

    package static func file(_ error: SystemCallError, _ path: String? = nil) -> Self {
        let place = path.map { "\($0): " } ?? ""
        return Self(code: "store.file", "the store's file: \(place)\(error)", retry: .later)
    }

    package static let fsyncOff = Self(
        code: "store.fsync-off", "the server runs with fsync=off and may lose what it confirmed",
        retry: .later)
    package static let noWriteAheadLog = Self(
        code: "store.no-write-ahead-log", "the file system cannot keep a write-ahead log")

    package static func serverEncoding(_ name: String) -> Self {
        Self(code: "store.server-encoding", "the database has the encoding \(name), not UTF8")
    }

    package static let readOnlyServer = Self(
        code: "store.read-only-server", "the server takes no changes", retry: .later)
    package static let exists = Self(code: "store.exists", "there is a file already")

    package static func tooLarge(byteCount: Int) -> Self {
        Self(code: "store.too-large", "a JWS of \(byteCount) bytes", isAboutItem: true)
    }

    package static let tooManyRows = Self(
        code: "store.too-many-rows",
        "the subscriber has more than 10000 notifications, transactions or renewal infos")
    package static let badArgument = Self(
        code: "store.bad-argument", "an identifier or a name is empty or too long", .usage)
    package static let onlySQLite = Self(
        code: "store.only-sqlite", "PostgreSQL has its own programs for this", .usage)
    package static let incompleteRow = Self(
        code: "store.incomplete-row", "a row lacks something that belongs to it")
}
