import Facts
import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("The facts file of random subscribers")
struct FactsFileTests {
    @Test(
        "has the same bytes after any order and repetition of arrival")
    func arrival() throws {
        let generator = SeededGenerator(for: "SubscriberHistory.files")
        let worlds =
            BedSystem.sqlite.isLong ? BedSystem.sqlite.worlds : Array(BedSystem.sqlite.worlds.prefix(40))
        var ordered = try FactsBed(.sqlite, worlds, generator)
        try ordered.deliverInOrder()
        var shuffled = try FactsBed(.sqlite, worlds, generator)
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

    @Test("has the facts that follow from the payloads", arguments: BedSystem.allCases)
    func values(system: BedSystem) throws {
        let generator = SeededGenerator(for: "SubscriberHistory.values")
        let worlds = system.isLong ? system.worlds : Array(system.worlds.prefix(40))
        var bed = try FactsBed(system, worlds, generator)
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
        var bed = try FactsBed(.sqlite, worlds, SeededGenerator(for: "SubscriberHistory.erased"))
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
    fileprivate func value(of fact: SubscriberFact, _ row: FactsRow) -> HistoryValue? {
        guard let column = columns.firstIndex(where: { $0.name == fact.name }) else { return nil }
        return switch columns[column].kind {
        case .boolean: boolean(column: column, row: row).map(HistoryValue.boolean)
        case .integer: integer(column: column, row: row).map(HistoryValue.integer)
        case .date: date(column: column, row: row).map(HistoryValue.date)
        case .string: string(column: column, row: row).map(HistoryValue.string)
        }
    }
}
