import Facts
@testable import Lives
import NotificationStore
import SubscriberHistory
import Support
import System
import Testing

@Suite("The facts file of random subscribers")
struct FactsFileTests {
    @Test(
        "has the same bytes after any order and repetition of arrival")
    func arrival() throws {
        let generator = SeededGenerator(for: "SubscriberHistory.files")
        let worlds = FactsBed.worlds
        var ordered = try FactsBed(worlds, generator)
        try ordered.deliverInOrder()
        var shuffled = try FactsBed(worlds, generator)
        for size in [shuffled.rest.count / 2, shuffled.rest.count] { try shuffled.deliver(size) }
        #expect(shuffled.rest.isEmpty)
        // Behind all payloads, and in the middle of the lives.
        var files: Set<[UInt8]> = []
        for day in [5_000.0, 200] {
            let file = try ordered.file(at: Life.time(day))
            #expect(try shuffled.file(at: Life.time(day)) == file, "on day \(day)")
            files.insert(file)
        }
        #expect(files.count == 2)
    }

    @Test("has the facts that follow from the payloads")
    func values() throws {
        let generator = SeededGenerator(for: "SubscriberHistory.values")
        var bed = try FactsBed(FactsBed.worlds, generator)
        try bed.deliverInOrder()
        var counts: [SubscriberFact: Int] = [:]
        for day in [5_000.0, 400, 200, 30] {
            let now = Life.time(day)
            let file = try FactsFile(bytes: bed.file(at: now), check: .full)
            #expect(Set(file.columns.map(\.name)) == Set(SubscriberFact.allCases.map(\.name)))
            for id in bed.ids {
                let found = FactsKey.parse(decimal: id).flatMap { file.find($0) }
                guard let payloads = try bed.payloads(of: id) else {
                    #expect(found == nil)
                    continue
                }
                let expected = HistoryFacts(payloads, now: now)
                let row = try #require(found)
                for fact in SubscriberFact.allCases {
                    let value = file.value(of: fact, row)
                    #expect(value == expected[fact].value, "\(id), \(fact) on day \(day)")
                    if value != nil { counts[fact, default: 0] += 1 }
                }
            }
        }
        // Two facts of one kind cannot have changed places where both are known.
        #expect(counts.count > 25, "\(counts)")
    }

    @Test(
        "has nobody whose tombstone came from another store, before the rows are deleted as well as after",
        arguments: [true, false]
    )
    func erased(isDownload: Bool) throws {
        // Enough that some moved to Advanced Commerce.
        let worlds = Array(WorldTests.worlds[0].prefix(100))
        var bed = try FactsBed(worlds, SeededGenerator(for: "SubscriberHistory.erased"))
        try bed.deliverInOrder()
        let now = Life.time(5_000)
        let before = try FactsFile(bytes: bed.file(at: now), check: .full)
        let old = try #require(bed.left.first)
        let successor = "2000" + old.suffix(7)
        let elsewhere = try TemporaryDirectory()
        let address = try StoreAddress("sqlite:\(elsewhere.path(of: "store.db"))")
        let other = try NotificationStore(address, StoreOptions(access: .create))
        _ = try other.erase(isDownload ? .appTransaction("70" + old.dropFirst(4)) : .originalTransaction(old))
        try bed.store.add(other.tombstones())
        let meanwhile = try FactsFile(bytes: bed.file(at: now), check: .full)
        _ = try bed.store.eraseEntombed()
        let after = try FactsFile(bytes: bed.file(at: now), check: .full)
        // Apple's older payloads do not name the download, but those since the move do.
        let key = try #require(FactsKey.parse(decimal: isDownload ? successor : old))
        #expect(before.find(key) != nil && meanwhile.find(key) == nil && after.find(key) == nil)
        #expect(before.rowCount - meanwhile.rowCount <= 2 && meanwhile.rowCount == after.rowCount)
    }
}

extension FactsFile {
    /// The value of a fact of a subscriber; nil when it is missing.
    fileprivate func value(of fact: SubscriberFact, _ row: FactsRow) -> FactValue? {
        guard let column = columns.firstIndex(where: { $0.name == fact.name }) else { return nil }
        return switch columns[column].kind {
        case .boolean: boolean(column: column, row: row).map(FactValue.boolean)
        case .integer: integer(column: column, row: row).map(FactValue.integer)
        case .date: date(column: column, row: row).map(FactValue.date)
        case .string: string(column: column, row: row).map(FactValue.string)
        }
    }
}

struct FactsBed {
    private let folder: TemporaryDirectory
    private let place: String
    let store: NotificationStore
    let ids: [String]
    let left: [String]
    var generator: SeededGenerator
    var rest: [Delivery] = []
    private var done: [StoreItem] = []

    /// True in a long run.
    static var isLong: Bool { ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1" }

    /// The subscribers: all 1,000 random ones in a long run.
    static var worlds: [World] { Array(WorldTests.worlds.joined().prefix(isLong ? 1000 : 40)) }

    init(_ worlds: [World], _ generator: SeededGenerator) throws {
        self.generator = generator
        folder = try TemporaryDirectory()
        place = "sqlite:\(folder.path(of: "store.db"))"
        var options = StoreOptions(access: .create)
        options.waitsForDisk = Self.isLong
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

    mutating func deliver(_ count: Int) throws {
        let some = rest.suffix(count)
        rest.removeLast(some.count)
        let items = try store.rememberSynchronizations(among: some)
        let again = (0..<min(20, done.count)).compactMap { _ in done.randomElement(using: &generator) }
        let outcomes = store.store(items + again)
        #expect(outcomes.allSatisfy { $0.isSettled })
        done += items
    }

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
