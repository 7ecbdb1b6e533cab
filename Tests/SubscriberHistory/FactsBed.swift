import NotificationStore
import SubscriberHistory
import Support
import System
import Testing

/// The database systems whose stores are filled.
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

/// A store to which the deliveries of random subscribers come in a random order.
struct FactsBed {
    private let folder: TemporaryDirectory
    /// The address of the store.
    private let place: String
    let store: NotificationStore
    /// The subscriptions, also those from before a move to Advanced Commerce.
    let ids: [String]
    /// The subscriptions that a customer left by a move to Advanced Commerce.
    let left: [String]
    var generator: SeededGenerator
    var rest: [Delivery] = []
    private var done: [StoreItem] = []

    init(_ system: BedSystem, _ worlds: [World], _ generator: SeededGenerator) throws {
        self.generator = generator
        folder = try TemporaryDirectory()
        place =
            switch system {
            case .sqlite: "sqlite:\(folder.path(of: "store.db"))"
            case .postgreSQL: try PostgreSQLServer.shared().makeSchema()
            }
        var options = StoreOptions(access: .create)
        options.waitsForDisk = system.isLong
        store = try NotificationStore(StoreAddress(place), options)
        let desk = try DeliveryDesk()
        var ids: [String] = []
        var left: [String] = []
        for (number, world) in worlds.enumerated() {
            var life = world.life
            let suffix = String(1_000_000 + number)
            ids.append(life.subscriber + suffix)
            // Some move to Advanced Commerce at the end, and Apple gives the history of some of these since then.
            if number % 5 == 0, life.status == 1 {
                left.append(life.subscriber + suffix)
                life.migrate(to: "2000")
                // Some go on, so that several transactions name the old identifier.
                if number % 3 != 0 { life.renewMigrated() }
                if number % 10 == 0 { life.syncAlone() }
                ids.append(life.subscriber + suffix)
            }
            rest += desk.deliveries(of: life.payloads, suffix: suffix)
        }
        self.ids = ids
        self.left = left
        rest.shuffle(using: &self.generator)
    }

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
        done += items
    }

    /// What the store has of a subscriber.
    func payloads(of id: String) throws -> SubscriberPayloads? {
        try StoredHistories(store, app: DeliveryDesk.app, environment: DeliveryDesk.environment).payloads(
            of: id
        )
    }

    /// The bytes of the facts file that `retentionctl facts build` makes for a time, with every fact.
    func file(at now: Int64) throws -> [UInt8] {
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
                "--at", "\(now)", "-o", folder.path(of: "all.facts"),
            ]
        )
        try #require(run.status == 0, "\(run.errors)")
        return try folder.read("all.facts")
    }
}
