import NotificationStore
import Support
import Synchronization
import System
import Testing

@Suite("A store whose server waits for a standby", .serialized)
struct StandbyTests {
    private static let schema = "standby"

    @Test("confirms nothing that the standby does not have, however the wait for the standby ends")
    func cutOff() throws {
        let sample = try Sample()
        let items = try (1...3).map { try sample.test($0) }
        // Every commit waits until a second server has it.
        let server = try PostgreSQLServer(settings: ["synchronous_standby_names=*"])
        try server.command(
            "SET synchronous_commit = local; CREATE SCHEMA \(Self.schema)", database: "postgres")
        let standby = try PostgreSQLServer(following: server)
        let store = try Self.open(server, .create)
        #expect(store.store([items[0]]) == [.stored])
        standby.stop(.kill)
        for (item, function) in [(items[1], "pg_cancel_backend"), (items[2], "pg_terminate_backend")] {
            let isOver = Flag()
            let cutter = try JoinableThread { Self.cutWaits(on: server, function, until: isOver) }
            // The row is durable on this server and can be seen, but it would be gone with the server.
            #expect(store.store([item]).map(Self.code) == ["sql.commit-unsure"])
            #expect(try store.everyJWS().last == item.jws)
            // Apple sends the notification again.
            #expect(store.store([item]).map(Self.code) == ["sql.commit-unsure"])
            isOver.raise()
            #expect(cutter.join() ?? 0 >= 2)
        }
        try standby.start()
        #expect(store.store(items) == [.alreadyThere, .alreadyThere, .alreadyThere])
        server.stop(.kill)
        try standby.command("SELECT pg_promote()", database: "postgres")
        #expect(try Self.open(standby, .read).everyJWS() == items.map(\.jws))
    }

    @Test("goes on with the server that takes changes, of the several that its address names")
    func severalHosts() throws {
        let sample = try Sample()
        let primary = try PostgreSQLServer()
        try primary.command("CREATE SCHEMA \(Self.schema)", database: "postgres")
        let standby = try PostgreSQLServer(following: primary)
        let address =
            "postgresql:///postgres?host=\(standby.socketFolder),\(primary.socketFolder)&user=retention"
            + "&target_session_attrs=read-write&options=-csearch_path%3D\(Self.schema)"
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .create))
        #expect(store.store([try sample.test(1)]) == [.stored])
        try standby.awaitPosition(of: primary)
        primary.stop(.kill)
        #expect(store.store([try sample.test(2)]).map(Self.code) == ["sql.unreachable"])
        try standby.command("SELECT pg_promote()", database: "postgres")
        #expect(store.store([try sample.test(1), try sample.test(2)]) == [.alreadyThere, .stored])
    }

    private static func code(_ outcome: StoreOutcome) -> String? {
        if case .notStored(let error) = outcome { error.code } else { nil }
    }

    private static func open(_ server: PostgreSQLServer, _ access: StoreOptions.Access) throws
        -> NotificationStore
    {
        var options = StoreOptions(access: access)
        // The waits end because somebody cuts them off, and not after this time.
        options.answerMilliseconds = 60_000
        options.lookUpMilliseconds = 300
        let address = server.address(database: "postgres") + "&options=-csearch_path%3D\(schema)"
        return try NotificationStore(StoreAddress(address), options)
    }

    /// Cuts off each wait of a session for the standby with a function of the server, and returns how many there were.
    private static func cutWaits(on server: PostgreSQLServer, _ function: String, until flag: Flag) -> Int {
        var count = 0
        while !flag.isRaised {
            let cut = "SELECT \(function)(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            let lines = (try? server.command(cut, database: "postgres")) ?? ""
            count += lines.split(separator: "\n").count
        }
        return count
    }

    private final class Flag: Sendable {
        private let state = Mutex(false)

        var isRaised: Bool { state.withLock { $0 } }

        func raise() { state.withLock { $0 = true } }
    }
}
