import NotificationStore
import Support
import System
import Testing

@Suite("A program that is killed", .serialized)
struct KillTests {
    private static var killCount: Int { ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1" ? 60 : 8 }

    @Test(
        "has every notification in the store that it had confirmed, and none twice",
        arguments: StoreSystem.allCases
    )
    func kills(system: StoreSystem) async throws {
        let place = try TestStore(system)
        _ = try place.open()
        var generator = SeededGenerator(for: "kills of a writing program on \(system)")
        let address = place.address.description
        var confirmed: Set<String> = []
        var killedInCall = 0
        for kill in 0..<Self.killCount {
            let delay = Int32.random(in: 5..<120, using: &generator)
            let start = kill * 10_000
            let list = place.files.path(of: "confirmed\(kill)")
            await #expect(processExitsWith: .signal(Signal.kill.rawValue)) {
                [
                    address = address as String, list = list as String, delay = delay as Int32,
                    start = start as Int
                ] in
                try Self.write(to: address, confirming: list, from: start, killedAfter: delay)
            }
            // What stands behind the last line feed was cut off by the kill.
            let text = String(decoding: try place.files.read("confirmed\(kill)"), as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
                String.init
            )
            if lines.last == "sent" { killedInCall += 1 }
            confirmed.formUnion(lines.filter { $0 != "sent" })
            let store = try place.open(.write)
            let found = try Self.uuids(store)
            #expect(confirmed.isSubset(of: found), "kill \(kill): lost \(confirmed.subtracting(found).count)")
            #expect(Set(found).count == found.count)
        }
        let store = try place.open(.write)
        let found = try Self.uuids(store)
        #expect(found.count >= 6 * Self.killCount && killedInCall > 0)
        #expect(try store.everyJWS(.transaction).count == found.count)
        if system == .sqlite { #expect(try store.check().isEmpty) }
        print(
            "figures: \(found.count) notifications, \(killedInCall) of \(Self.killCount) kills during a call, \(system)"
        )
    }

    /// Stores one batch after the other, and appends the UUIDs of what was confirmed to a file, until the process is
    /// killed. The file also says when a batch was sent.
    private static func write(
        to address: String, confirming list: String, from start: Int, killedAfter milliseconds: Int32
    ) throws {
        let sample = try Sample()
        let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
        let file = try FileDescriptor.create(path: list, permissions: 0o600)
        // Made before they are stored, so that most kills fall into a call. A call takes a millisecond and more.
        let batches = try (0..<120).map { batch in
            try (1...3).map { try sample.renewed(Sample.Period(number: start + 3 * batch + $0)) }
        }
        for (number, batch) in batches.enumerated() {
            // The first batches are confirmed in any case.
            if number == 2 {
                try ServiceThread.start {
                    _ = try? Readiness.wait(for: [], timeoutMilliseconds: milliseconds)
                    try? Processes.send(.kill, to: Processes.current)
                }
            }
            try file.write(Array("sent\n".utf8).span)
            let outcomes = store.store(batch)
            let confirmed = zip(batch, outcomes).filter { $0.1 == .stored }.map { $0.0.uuid + "\n" }.joined()
            try file.write(Array(confirmed.utf8).span)
        }
        // All was stored before the kill came.
        while true { _ = try Readiness.wait(for: [], timeoutMilliseconds: 1000) }
    }

    static func uuids(_ store: NotificationStore) throws -> [String] {
        var uuids: [String] = []
        var after: Int64?
        repeat {
            let page = try store.notifications(NotificationFilter(), StorePage(after: after, count: 1000))
            uuids += page.rows.map(\.uuid)
            after = page.next
        } while after != nil
        return uuids
    }
}
