@testable import NotificationStore
import SQL
import Support
import Testing

/// The database systems under test. The tests run on SQLite; those that show that both systems do the same run on both.
enum StoreSystem: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    var testDescription: String { rawValue }
}

/// The place for one store, and ways to open and look at it.
struct TestStore {
    let system: StoreSystem
    let address: StoreAddress
    private let folder: TemporaryDirectory
    /// The time that the store sees as the present one.
    static let now = TestPKI.now + 1_000_000

    init(_ system: StoreSystem) throws {
        self.system = system
        folder = try TemporaryDirectory()
        switch system {
        case .sqlite: address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
        case .postgreSQL: address = try StoreAddress(try PostgreSQLServer.shared().makeSchema())
        }
    }

    /// The folder of the file, and its path.
    var files: TemporaryDirectory { folder }
    var path: String { folder.path(of: "store.db") }

    /// Opens the store, or makes it.
    func open(
        _ access: StoreOptions.Access = .create,
        now: Int64 = TestStore.now,
        timing: StoreTiming = .system,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> NotificationStore {
        var options = StoreOptions(access: access)
        options.lockMilliseconds = 500
        change(&options)
        var timing = timing
        timing.now = { now }
        return try NotificationStore(address, options, timing: timing)
    }

    /// Opens a connection below the store, to see what others see, or to do damage.
    func connect() throws -> any SQLConnection {
        switch address {
        case .sqlite(let path): try SQLiteConnection(path: path, SQLiteOptions(access: .write))
        case .postgreSQL(let uri): try PostgreSQLConnection(address: uri)
        }
    }

    /// Returns the number in the one row and column of a query.
    func number(_ text: SQLText) throws -> Int64 {
        let row = try #require(try connect().query(text).first)
        return try row.integer(0)
    }
}

extension NotificationStore {
    /// Every JWS of one kind, in the order of storing.
    func everyJWS(_ kind: StoredJWS.Kind = .notification) throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        var after: Int64 = 0
        while true {
            let page = try jws(kind, after: after, count: 7)
            for row in page.rows { all.append(try #require(row.jws, "row \(row.id) cannot be rebuilt")) }
            guard let next = page.next else { return all }
            after = next
        }
    }
}

extension NotificationStore {
    /// What the store has of one subscription of the sample's app.
    func subscriber(_ id: String) throws -> SubscriberRows? {
        try subscribers([id], app: Sample.app, environment: "Production").rows[id]
    }

    /// Returns a setting of the session on the server.
    func sessionSetting(_ name: String) throws -> String {
        let row = try #require(try connected().query("SELECT current_setting(?)", [.text(name)]).first)
        return try row.text(0)
    }
}
