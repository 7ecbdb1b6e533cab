import DataFiles
import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("The facts file of random subscribers", .timeLimit(.minutes(10)))
struct FactsFileTests {
    @Test(
        "has the same bytes after any order and repetition of arrival and any builds meanwhile",
        arguments: BedSystem.allCases
    )
    func arrival(system: BedSystem) throws {
        var generator = SeededGenerator(for: "SubscriberHistory.files")
        let worlds = system.isLong ? system.worlds : Array(system.worlds.prefix(40))
        var ordered = try IncrementalBed(system, worlds, generator)
        try ordered.deliverInOrder()
        var shuffled = try IncrementalBed(system, worlds, generator)
        let size = shuffled.rest.count / 6 + 1
        for step in 0..<6 {
            try shuffled.deliver(size)
            guard step % 2 == 0 else { continue }
            _ = try shuffled.file(at: Life.time(Double.random(in: 0...400, using: &generator)))
        }
        #expect(shuffled.rest.isEmpty)
        // Behind all payloads, and in the middle of the lives.
        var files: Set<[UInt8]> = []
        for day in [5_000.0, 200] {
            let file = try ordered.file(at: Life.time(day), ["--full"])
            #expect(try shuffled.file(at: Life.time(day)) == file, "on day \(day)")
            files.insert(file)
        }
        #expect(try shuffled.file(at: Life.time(200), ["--full"]) == ordered.file(at: Life.time(200)))
        #expect(files.count == 2)
    }

    @Test("has the facts that follow from the payloads", arguments: BedSystem.allCases)
    func values(system: BedSystem) throws {
        let generator = SeededGenerator(for: "SubscriberHistory.values")
        let worlds = system.isLong ? system.worlds : Array(system.worlds.prefix(40))
        var bed = try IncrementalBed(system, worlds, generator)
        try bed.deliverInOrder()
        var counts: [SubscriberFact: Int] = [:]
        for day in [5_000.0, 400, 200, 30] {
            let now = Life.time(day)
            let file = try FactsFile(bytes: bed.file(at: now), check: .full)
            #expect(Set(file.columns.map(\.name)) == Set(SubscriberFact.allCases.map(\.name)))
            for id in bed.ids {
                let found = FactsKey.parse(decimal: id).flatMap { file.find($0) }
                guard let payloads = try bed.refresh.payloads(of: id) else {
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
