internal import SQL
internal import System

/// The right to derive the states of an app's subscribers in an environment, and to read them while nobody else derives them.
///
/// A store in a file has its lock on the directory of the file itself (flock(2)), whatever links lead there, so that no file with
/// another owner stays behind. A store on a server has an advisory lock in a transaction of a connection of its own, which a
/// pooler of connections leaves whole. The lock ends with the program, in whatever way.
public struct StatesLock: ~Copyable {
    private let file: HeldLock?
    private let connection: (any SQLConnection)?

    fileprivate init(_ file: consuming FileLock) {
        self.file = HeldLock(file)
        connection = nil
    }

    fileprivate init(_ connection: any SQLConnection) {
        file = nil
        self.connection = connection
    }

    /// Frees the lock.
    ///
    /// - Throws: the errors of the database when the lock was lost before: what was read may be incomplete then.
    public consuming func release() throws(NotificationStoreError) {
        guard let connection else { return }
        do throws(SQLError) {
            try connection.commit()
        } catch {
            throw .database(error)
        }
    }
}

extension NotificationStore {
    /// Takes the lock for deriving and reading states. Waits while another program has it.
    ///
    /// - Parameters:
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    ///   - milliseconds: how long to wait.
    /// - Returns: the lock.
    /// - Throws: `store.states-locked` when the other program took longer; `store.file` when the directory cannot be locked.
    public func lockStates(
        app: String,
        environment: String,
        waitingFor milliseconds: Int64 = 900_000
    ) throws(NotificationStoreError) -> StatesLock {
        let end = timing.elapsed() + milliseconds
        var connection: (any SQLConnection)?
        while true {
            switch address {
            case .sqlite(let path):
                if let lock = try Self.lock(directoryOf: path) { return StatesLock(lock) }
            case .postgreSQL(let uri):
                let opening = PostgreSQLOpening(uri: uri, options: options, now: timing.now())
                let own: any SQLConnection
                if let connection { own = connection } else { own = try opening.open() }
                connection = own
                if try Self.lock(own, name: "\(environment):\(app)") { return StatesLock(own) }
            }
            guard timing.elapsed() < end else { throw .statesLocked }
            timing.sleep(Self.waitMilliseconds)
        }
    }

    /// The time between two attempts to take the lock.
    private static let waitMilliseconds: Int64 = 200

    /// Locks the directory of a store; nil when another program has the lock.
    private static func lock(directoryOf path: String) throws(NotificationStoreError) -> FileLock? {
        do throws(SystemCallError) {
            let directory = Directory.parent(of: StoreAddress.file(path))
            return try FileLock(
                adopting: try FileDescriptor.openDirectory(path: directory),
                path: directory
            )
        } catch {
            if error.code == "lock.held" { return nil }
            throw .file(code: error.code, text: error.description)
        }
    }

    /// Begins a transaction and takes the lock of the server with this name. Returns false when another program has it. The
    /// numbers are the letters RtSt and a hash of the schema's name and the lock's.
    private static func lock(
        _ connection: any SQLConnection,
        name: String
    ) throws(NotificationStoreError) -> Bool {
        do throws(SQLError) {
            try connection.begin(isWriting: false)
            // The transaction is idle for as long as a build takes.
            _ = try connection.query("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
            let rows = try connection.query(
                """
                SELECT CAST(CAST(pg_try_advisory_xact_lock(
                    1383355252, hashtext(current_schema() || ':' || CAST(? AS TEXT))) AS INT) AS BIGINT)
                """,
                [.text(name)]
            )
            if try rows.first?.integer(0) == 1 { return true }
            connection.rollback()
            return false
        } catch {
            throw .database(error)
        }
    }
}
