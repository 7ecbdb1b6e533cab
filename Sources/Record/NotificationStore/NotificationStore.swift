internal import SQL
internal import System

/// The store of notifications and of the signed transactions, renewal infos and app transactions in them: one interface for
/// SQLite and PostgreSQL.
///
/// One thread uses a store at a time. A store whose connection ended connects again at the next call.
package final class NotificationStore {
    package let address: StoreAddress
    let options: StoreOptions
    let timing: StoreTiming
    private var open: OpenStore?
    var headerTexts: [Int64: [UInt8]] = [:]
    var knownDraws: [Int64: DrawsRow] = [:]

    private struct OpenStore {
        let connection: any SQLConnection
        let files: [OpenFile]
    }

    package init(_ address: StoreAddress, _ options: StoreOptions, timing: StoreTiming = .system)
        throws(NotificationStoreError)
    {
        self.address = address
        self.options = options
        self.timing = timing
        _ = try connected()
    }

    var dialect: SQLDialect {
        if case .sqlite = address { .sqlite } else { .postgreSQL }
    }

    func connected() throws(NotificationStoreError) -> any SQLConnection {
        if let open {
            if let lost = open.files.first(where: \.hasLostName),
                let connection = open.connection as? SQLiteConnection
            {
                throw leave(connection, lost)
            }
            if open.connection.isOpen { return open.connection }
            disconnect()
        }
        var options = options
        // Only the first opening makes a store: one that vanished must not be replaced by an empty one.
        if hasOpened, options.access == .create { options.access = .write }
        let new: OpenStore
        switch address {
        case .sqlite(let path):
            let opened = try SQLiteOpening(path: path, options: options, now: timing.now()).open()
            new = OpenStore(connection: opened.connection, files: opened.files)
        case .postgreSQL(let uri):
            let connection = try PostgreSQLOpening(uri: uri, options: options, now: timing.now()).open()
            new = OpenStore(connection: connection, files: [])
        }
        open = new
        hasOpened = true
        return new.connection
    }

    private var hasOpened = false

    package func disconnect() {
        open = nil
        headerTexts = [:]
        knownDraws = [:]
    }

    /// Runs `body` with the connection. After an error that says nothing good about the connection, closes it.
    func perform<Value>(
        _ body: (any SQLConnection) throws(SQLError) -> Value
    ) throws(NotificationStoreError) -> Value {
        let connection = try connected()
        do throws(SQLError) {
            return try body(connection)
        } catch {
            switch error.fault {
            case .inputOutput, .corrupt, .cannotOpen, .notADatabase, .outOfMemory: disconnect()
            // Another server may have the address by now.
            case _ where error.fault.endsSession && dialect == .postgreSQL: disconnect()
            // A server may refuse a prepared statement because a table is another one now, and takes a new one. SQLite prepares
            // anew by itself.
            case .refused where dialect == .postgreSQL: disconnect()
            default: if !connection.isOpen { disconnect() }
            }
            throw .database(error)
        }
    }

    @discardableResult
    func change<Value>(_ lock: StoreLock, _ body: (any SQLConnection) throws(SQLError) -> Value)
        throws(NotificationStoreError) -> Value
    {
        try perform { connection throws(SQLError) in
            try connection.transaction { () throws(SQLError) in
                try lock.take(on: connection)
                return try body(connection)
            }
        }
    }
}
