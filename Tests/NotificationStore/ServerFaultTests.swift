import Glibc
import NotificationStore
import SQL
import Support
import Synchronization
import System
import Testing

@Suite("A store whose server fails", .serialized)
struct ServerFaultTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func code(_ outcome: StoreOutcome?) -> String? {
        if case .notStored(let error) = outcome { error.code } else { nil }
    }

    private func open(
        _ address: String,
        _ access: StoreOptions.Access = .create,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> NotificationStore {
        var options = StoreOptions(access: access)
        options.lookUpMilliseconds = 10_000
        change(&options)
        return try NotificationStore(StoreAddress(address), options)
    }

    @Test("has everything that it confirmed, after the server was killed again and again")
    func killed() throws {
        let isLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"
        let server = try PostgreSQLServer()
        let address = try server.makeSchema()
        _ = try open(address)
        let log = ConfirmedList()
        let writer = try JoinableThread { Self.write(to: address, log) }
        var generator = SeededGenerator(for: "kills of the server")
        for _ in 0..<(isLong ? 40 : 5) {
            let before = log.lists.confirmed.count
            while log.lists.confirmed.count < before + 3 { usleep(1000) }
            _ = try Readiness.wait(
                for: [], timeoutMilliseconds: Int32.random(in: 50..<300, using: &generator))
            server.stop(.kill)
            try server.start()
        }
        log.end()
        #expect(writer.join() == true)
        let (sent, confirmed) = log.lists
        let store = try open(address, .write)
        let found = try KillTests.uuids(store)
        #expect(confirmed.isSubset(of: found) && Set(found).count == found.count)
        #expect(confirmed.count >= 15 && found.count <= sent.count)
        // Apple sends again what was not confirmed.
        let items = try sent.map { try sample.test($0) }
        for start in stride(from: 0, to: items.count, by: 200) {
            #expect(
                store.store(Array(items[start..<min(start + 200, items.count)])).allSatisfy { $0.isSettled }
            )
        }
        #expect(try store.statistics().notificationCount == sent.count)
        print(
            "figures: \(confirmed.count) of \(sent.count) notifications confirmed while the server was killed"
        )
    }

    private final class ConfirmedList: Sendable {
        private let state = Mutex<(sent: [Int], confirmed: Set<String>, isOver: Bool)>(([], [], false))

        var isOver: Bool { state.withLock { $0.isOver } }
        var lists: (sent: [Int], confirmed: Set<String>) { state.withLock { ($0.sent, $0.confirmed) } }
        func end() { state.withLock { $0.isOver = true } }
        func add(_ number: Int, confirmed uuid: String?) {
            state.withLock { state in
                state.sent.append(number)
                if let uuid { state.confirmed.insert(uuid) }
            }
        }
    }

    /// Stores one notification after the other until the list is over. Returns true when it could.
    private static func write(to address: String, _ log: ConfirmedList) -> Bool {
        var options = StoreOptions(access: .write)
        options.lookUpMilliseconds = 20_000
        guard let sample = try? Sample(), let place = try? StoreAddress(address),
            let store = try? NotificationStore(place, options)
        else { return false }
        var number = 0
        while !log.isOver {
            number += 1
            guard let item = try? sample.test(number) else { return false }
            let isStored = store.store([item]) == [.stored]
            log.add(number, confirmed: isStored ? item.uuid : nil)
            if !isStored { usleep(5000) }
        }
        return true
    }

    @Test("finds out what became of a commit whose answer was lost", arguments: [true, false])
    func lostAnswer(isCommitted: Bool) throws {
        let server = try PostgreSQLServer()
        let address = try server.makeSchema()
        let store = try open(address)
        #expect(store.store([try sample.test(1)]) == [.stored])
        if isCommitted {
            try server.makeCommitsWait()
        } else {
            let schema = address.split(separator: "%3D").last.map(String.init) ?? ""
            try server.command(
                """
                CREATE FUNCTION \(schema).waiting() RETURNS TRIGGER LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
                CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON \(schema).notifications
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(schema).waiting()
                """,
                database: "postgres"
            )
        }
        let event = isCommitted ? "SyncRep" : "PgSleep"
        let ending = try JoinableThread {
            Self.endSession(waitingFor: event, on: server, isCommitted: isCommitted)
        }
        let outcomes = store.store([try sample.test(2), try sample.test(3)])
        #expect(ending.join() == true)
        if isCommitted {
            #expect(outcomes == [.stored, .stored])
        } else {
            #expect(outcomes.map(code) == ["sql.commit-unsure", "sql.commit-unsure"])
        }
        #expect(try store.everyJWS().count == (isCommitted ? 3 : 1))
    }

    /// Ends the session that waits for something, as soon as there is one. Returns true when it did.
    private static func endSession(waitingFor event: String, on server: PostgreSQLServer, isCommitted: Bool)
        -> Bool
    {
        let search = "SELECT pid FROM pg_stat_activity WHERE wait_event = '\(event)'"
        var number: Substring?
        _ = Patience.wait(seconds: 60) {
            number = (try? server.command(search, database: "postgres"))?.split(separator: "\n").first
            return number != nil
        }
        guard let number else { return false }
        if isCommitted { return (try? server.endWaitingCommit(of: number)) != nil }
        return (try? server.command("SELECT pg_terminate_backend(\(number))", database: "postgres")) != nil
    }

    @Test("stores exactly once when several programs send the same at the same time")
    func collisions() throws {
        let place = try TestStore(.postgreSQL)
        _ = try place.open()
        let address = place.address.description
        let writers = try (0..<4).map { number in
            try JoinableThread { Self.storeAll(address, isReversed: number % 2 == 1) }
        }
        let outcomes = writers.map { $0.join() ?? [] }
        #expect(outcomes.allSatisfy { $0.count == 90 })
        let codes = Set(outcomes.flatMap(\.self).compactMap(code))
        #expect(codes.isEmpty, "\(codes)")
        #expect(outcomes.flatMap(\.self).count { $0 == .stored } == 90)
        #expect(try place.open(.read).statistics().notificationCount == 90)
    }

    /// Stores 90 notifications in batches, in one order or the other, and returns what became of each.
    private static func storeAll(_ address: String, isReversed: Bool) -> [StoreOutcome] {
        var options = StoreOptions(access: .write)
        // The writers wait for each other, and on a busy machine for longer than a recorder would.
        options.lockMilliseconds = 60_000
        options.answerMilliseconds = 60_000
        guard let sample = try? Sample(), let place = try? StoreAddress(address),
            let store = try? NotificationStore(place, options)
        else { return [] }
        var outcomes: [StoreOutcome] = []
        for batch in 0..<9 {
            let numbers = (batch * 10..<batch * 10 + 10).map { isReversed ? 9 + batch * 20 - $0 : $0 }
            outcomes += store.store(numbers.compactMap { try? sample.renewed(Sample.Period(number: $0)) })
        }
        return outcomes
    }

    @Test(
        "would lose rows if commits did not wait for the disk, and the tests of kills would notice",
        arguments: ["on", "off"]
    )
    func negativeControl(setting: String) throws {
        let server = try PostgreSQLServer()
        let address = try server.makeSchema()
        #expect(try open(address).store([try sample.test(1)]) == [.stored])
        // Nobody but the session itself writes the server's log from here on.
        let writers = try server.holdLogWriters()
        do {
            defer { server.kill(with: writers) }
            let connection = try PostgreSQLConnection(address: address)
            _ = try connection.query("SELECT set_config('synchronous_commit', ?, false)", [.text(setting)])
            try connection.run(
                """
                INSERT INTO notifications (app, environment, uuid, source, received_at)
                SELECT app, environment, 'another', source, received_at FROM notifications
                """
            )
        }
        try server.start()
        let found = try KillTests.uuids(try open(address, .write))
        #expect(try found == [sample.test(1).uuid] + (setting == "on" ? ["another"] : []))
    }
}
