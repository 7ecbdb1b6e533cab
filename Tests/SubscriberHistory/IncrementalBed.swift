import NotificationStore
import SubscriberHistory
import Support
import System
import Testing

/// The database systems whose stores have the states.
enum BedSystem: CaseIterable {
    case sqlite
    case postgreSQL

    /// True in a long run.
    var isLong: Bool { ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1" }

    /// The subscribers: all 1,000 random ones in a long run. A test on the server takes several times as long.
    var worlds: [World] {
        let all = Array(WorldTests.worlds.joined())
        return isLong ? all : Array(all.prefix(self == .sqlite ? 100 : 40))
    }
}

/// A store to which deliveries come in a random order, and much else happens.
struct IncrementalBed {
    /// The time that the store sees as the present one.
    final class Clock { var time = Life.birth }

    private let folder: TemporaryDirectory
    /// The address of the store.
    private let place: String
    let store: NotificationStore
    /// A second connection, for what happens during a build.
    let aside: NotificationStore
    /// Another store, whose tombstones are taken over.
    let elsewhere: NotificationStore
    private let clock: Clock
    let refresh: HistoryRefresh
    /// The subscriptions, also those from before a move to Advanced Commerce.
    let ids: [String]
    /// The subscriptions that a customer left by a move to Advanced Commerce.
    let left: [String]
    /// Those of them whose rows since the move all name the customer's download of the app.
    let leftLate: Set<String>
    var generator: SeededGenerator
    var rest: [Delivery] = []
    private var done: [StoreItem] = []
    private var hasNewTombstones = false
    /// What happened, by its name.
    private(set) var counts: [String: Int] = [:]

    init(_ system: BedSystem, _ worlds: [World], _ generator: SeededGenerator) throws {
        self.generator = generator
        let folder = try TemporaryDirectory()
        let clock = Clock()
        func open(_ address: StoreAddress, _ access: StoreOptions.Access) throws -> NotificationStore {
            var options = StoreOptions(access: access)
            options.waitsForDisk = system.isLong
            var timing = StoreTiming.system
            timing.now = { clock.time }
            return try NotificationStore(address, options, timing: timing)
        }
        place =
            switch system {
            case .sqlite: "sqlite:\(folder.path(of: "store.db"))"
            case .postgreSQL: try PostgreSQLServer.shared().makeSchema()
            }
        let address = try StoreAddress(place)
        store = try open(address, .create)
        aside = try open(address, .write)
        elsewhere = try open(StoreAddress("sqlite:\(folder.path(of: "elsewhere.db"))"), .create)
        refresh = HistoryRefresh(store, app: DeliveryDesk.app, environment: DeliveryDesk.environment)
        (self.folder, self.clock) = (folder, clock)
        let desk = try DeliveryDesk()
        var ids: [String] = []
        var left: [String] = []
        var leftLate: Set<String> = []
        for (number, world) in worlds.enumerated() {
            var life = world.life
            let suffix = String(1_000_000 + number)
            ids.append(life.subscriber + suffix)
            // Some move to Advanced Commerce at the end, and Apple gives the history of some of these since then.
            if number % 5 == 0, life.status == 1 {
                left.append(life.subscriber + suffix)
                life.migrate(to: "2000")
                if DeliveryDesk.download(suffix, life.now) != nil { leftLate.insert("1000" + suffix) }
                // Some go on, so that several transactions name the old identifier.
                if number % 3 != 0 { life.renewMigrated() }
                if number % 10 == 0 { life.syncAlone() }
                ids.append(life.subscriber + suffix)
            }
            rest += desk.deliveries(of: life.payloads, suffix: suffix)
        }
        self.ids = ids
        (self.left, self.leftLate) = (left, leftLate)
        rest.shuffle(using: &self.generator)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 1...100, using: &generator) <= percent }

    /// Brings all deliveries once, the earliest first.
    mutating func deliverInOrder() throws {
        func time(_ delivery: Delivery) -> Int64 {
            switch delivery {
            case .item(let item): item.receivedAt
            case .synchronization(_, let time): time
            }
        }
        rest.sort { time($0) < time($1) }
        try deliver(rest.count)
    }

    /// Brings some deliveries, some of them for the second time.
    mutating func deliver(_ count: Int) throws {
        let some = rest.suffix(count)
        rest.removeLast(some.count)
        let items = try store.noteSynchronizations(among: some)
        let again = (0..<min(20, done.count)).compactMap { _ in done.randomElement(using: &generator) }
        let outcomes = store.store(items + again)
        #expect(outcomes.allSatisfy { $0.isSettled })
        counts["dropped", default: 0] += outcomes.count { $0 == .tombstoned }
        done += items
    }

    /// Does something else that changes what is known. A chance is so many in a hundred.
    mutating func disturb(_ store: NotificationStore, chance: Int = 30) throws {
        let day = Int64.random(in: 0...900, using: &generator)
        clock.time = Life.time(Double(day))
        if self.chance(chance) {
            let from = Life.time(Double(day)) - 30 * Life.day
            try store.cover(
                app: DeliveryDesk.app,
                environment: DeliveryDesk.environment,
                TimeRange(from: from, to: from + Life.day * Int64.random(in: 1...400, using: &generator))
            )
            counts["covered", default: 0] += 1
        }
        if self.chance(chance) { try erase(in: store, "erased") }
        if self.chance(chance) {
            try erase(in: elsewhere, "erased elsewhere")
            try store.add(elsewhere.tombstones())
            hasNewTombstones = true
        }
        // As when an import is interrupted in between, and run again.
        if self.chance(60) { try eraseEntombed(in: store) }
        if self.chance(chance) {
            counts["pruned", default: 0] += try store.prune(
                receivedBefore: Life.time(Double(day / 2)),
                keepingTypes: HistoryFacts.neededTypes,
                keepingStatusesBeside: HistoryFacts.knownStatuses
            )
        }
    }

    /// Deletes rows of subscribers whose tombstones were taken over, if there are new ones.
    mutating func eraseEntombed(in store: NotificationStore) throws {
        guard hasNewTombstones else { return }
        hasNewTombstones = false
        counts["deleted rows", default: 0] += try store.eraseEntombed().rowCount
    }

    /// Erases a subscription, or a download.
    private mutating func erase(in store: NotificationStore, _ name: String) throws {
        let some = chance(40) ? left : ids
        guard let id = some.randomElement(using: &generator) else { return }
        let subject =
            chance(70)
            ? ErasureSubject.originalTransaction(id) : .appTransaction("70" + id.dropFirst(4))
        _ = try store.erase(subject)
        counts[
            "\(name) \(subject == .originalTransaction(id) ? "subscriptions" : "downloads")",
            default: 0
        ] += 1
    }

    /// The bytes of the facts file that `retentionctl facts build` makes for a time, with every fact.
    func file(at now: Int64, _ options: [String] = []) throws -> [UInt8] {
        let facts = SubscriberFact.allCases.map { "\"\($0.name)\": \"\($0.type)\"" }
        try folder.write(
            """
            {"app": {"appAppleId": 531412, "bundleId": "\(DeliveryDesk.app)"},
             "environment": "\(DeliveryDesk.environment)", "facts": {\(facts.joined(separator: ", "))}}
            """,
            to: "rules.json"
        )
        let run = try ProgramRun.run(
            ProgramRun.product("retentionctl"),
            [
                "facts", "build", "--store", place, "--schema", folder.path(of: "rules.json"), "--built", "0",
                "--now", "\(now)", "-o", folder.path(of: "all.facts"),
            ] + options
        )
        try #require(run.status == 0, "\(run.errors)")
        return try folder.read("all.facts")
    }

    /// The states in the store.
    func states() throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for state in try pages().flatMap(\.states) { found[state.originalTransactionID] = state.bytes }
        return found
    }

    /// The subscriptions whose states must be derived again.
    func outdated() throws -> [String] { try pages().flatMap(\.outdatedIDs) }

    private func pages() throws -> [StatePage] {
        var (ranges, pages): ([SubscriberRange], [StatePage]) = ([], [])
        while ranges.last.map({ $0.last != nil }) ?? true {
            let range = try store.stateRange(
                after: ranges.last?.last,
                app: DeliveryDesk.app,
                environment: DeliveryDesk.environment
            )
            ranges.append(range)
            pages.append(
                try store.states(in: range, app: DeliveryDesk.app, environment: DeliveryDesk.environment)
            )
        }
        return pages
    }

    /// Brings the states up to date while something else happens, as `facts build` does: what became outdated meanwhile is
    /// derived again.
    mutating func build(_ meanwhile: (inout IncrementalBed) throws -> Void) throws {
        var bed = self
        var failure: (any Error)?
        var isFirst = true
        let lock = try refresh.lock()
        // The progress is told when the first page was read, and nothing is written yet.
        _ = try refresh.run(holding: lock) { _ in
            guard isFirst else { return }
            isFirst = false
            do { try meanwhile(&bed) } catch { failure = error }
        }
        if let failure { throw failure }
        self = bed
        let again = try outdated()
        let found = try refresh.derive(outdated: again, holding: lock)
        counts["derived again", default: 0] += found.states.count
        #expect(Set(found.states.map(\.originalTransactionID)).isSubset(of: again))
        #expect(found.outdatedIDs.isEmpty)
        try lock.release()
    }
}
