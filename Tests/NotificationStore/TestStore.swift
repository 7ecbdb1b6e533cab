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

struct TestStore {
    let system: StoreSystem
    let address: StoreAddress
    private let folder: TemporaryDirectory
    static let now = TestPKI.now + 1_000_000

    init(_ system: StoreSystem) throws {
        self.system = system
        folder = try TemporaryDirectory()
        switch system {
        case .sqlite: address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
        case .postgreSQL: address = try StoreAddress(try PostgreSQLServer.shared().makeSchema())
        }
    }

    var files: TemporaryDirectory { folder }
    var path: String { folder.path(of: "store.db") }

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

    func connect() throws -> any SQLConnection {
        switch address {
        case .sqlite(let path): try SQLiteConnection(path: path, SQLiteOptions(access: .write))
        case .postgreSQL(let uri): try PostgreSQLConnection(address: uri)
        }
    }

    func number(_ text: SQLText) throws -> Int64 {
        let row = try #require(try connect().query(text).first)
        return try row.integer(0)
    }
}

extension NotificationStore {
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
    func subscriber(_ id: String) throws -> SubscriberRows? {
        try subscribers([id], app: Sample.app, environment: "Production").first
    }

    func allSubscribers(app: String, environment: String = "Production") throws -> [String: SubscriberRows] {
        var found: [String: SubscriberRows] = [:]
        var after: String?
        repeat {
            let page = try subscribers(after: after, app: app, environment: environment)
            for rows in page.rows {
                #expect(found.updateValue(rows, forKey: rows.originalTransactionID) == nil)
            }
            after = page.next
        } while after != nil
        return found
    }

    func synchronized() throws -> [String] { try synchronizations().rows.map(\.originalTransactionID) }

    func entomb(_ subjects: ErasureSubject...) throws {
        let elsewhere = try TestStore(.sqlite)
        let other = try elsewhere.open()
        for subject in subjects { _ = try other.erase(subject) }
        try add(other.tombstones())
    }

    func sessionSetting(_ name: String) throws -> String {
        let row = try #require(try connected().query("SELECT current_setting(?)", [.text(name)]).first)
        return try row.text(0)
    }
}
