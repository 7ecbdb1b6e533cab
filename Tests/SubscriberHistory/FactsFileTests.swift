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
}
