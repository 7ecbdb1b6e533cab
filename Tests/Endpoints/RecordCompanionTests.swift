import FastCGI
import JSON
import Support
import System
import Telemetry
import Testing

@testable import Endpoints

/// A worker's side of the companion that writes its decision records. The companion is played by the test; the tests behind nginx
/// have real ones.
@Suite("A worker whose decision records another process writes")
struct RecordCompanionTests {
    private static func noted(_ message: [UInt8]) -> NotedDecision? { NotedDecision(message.span) }

    @Test("writes none itself, and wakes the companion at the end of a turn when that asked for it")
    func wakes() throws {
        let stage = try CompanionStage()
        let companion = try #require(stage.companions.started.first)
        #expect(!stage.recorder.writesItself && stage.recorder.isOpen)
        try stage.answer(300)
        #expect(companion.wakeCount == 0 && !stage.companions.askToBeWoken())
        stage.turnEnded(atMilliseconds: 1)
        #expect(companion.wakeCount == 0)
        for number in 1...300 {
            let message = try #require(stage.companions.take())
            let noted = try #require(Self.noted(message))
            #expect(noted.sequence == UInt64(number) && noted.appAppleId == SignedBody.appAppleId)
        }
        #expect(stage.companions.take() == nil && stage.companions.askToBeWoken())
        stage.turnEnded(atMilliseconds: 2)
        #expect(companion.wakeCount == 0)
        try stage.answer()
        stage.turnEnded(atMilliseconds: 3)
        try stage.answer()
        stage.turnEnded(atMilliseconds: 4)
        #expect(companion.wakeCount == 1)
        #expect(try stage.folder.read("d").isEmpty && stage.world.counters.value(.decisionsDropped) == 0)
    }

    @Test(
        "starts another companion within a second when its own has ended, and none while there is nothing to write"
    )
    func restarts() throws {
        let stage = try CompanionStage()
        let first = try #require(stage.companions.started.first)
        #expect(stage.world.handler.wakeNanoseconds == nil)
        first.hasEnded = true
        stage.turnEnded(atMilliseconds: 5000)
        #expect(stage.companions.started.count == 1)
        try stage.answer()
        stage.turnEnded(atMilliseconds: 5100)
        #expect(stage.world.handler.wakeNanoseconds == 6_100_000_000)
        stage.turnEnded(atMilliseconds: 6099)
        #expect(stage.companions.started.count == 1)
        // A companion that cannot be started is tried again.
        stage.companions.mayStart = false
        stage.turnEnded(atMilliseconds: 6100)
        #expect(stage.world.handler.wakeNanoseconds == 7_100_000_000)
        stage.companions.mayStart = true
        stage.turnEnded(atMilliseconds: 7100)
        #expect(stage.companions.started.count == 2 && stage.companions.take() != nil)
        stage.turnEnded(atMilliseconds: 8100)
        #expect(stage.companions.started.count == 2 && stage.world.handler.wakeNanoseconds == nil)
    }

    @Test("says that it has started another companion, and once that it could not")
    func tellsOfLoss() throws {
        let stage = try CompanionStage()
        let lines = { stage.world.log.lines }
        let told = { (code: String) in lines().count { $0.contains(" code=\(code)") } }
        stage.companions.started[0].hasEnded = true
        stage.companions.mayStart = false
        try stage.answer()
        stage.turnEnded(atMilliseconds: 1000)
        for time in 2...4 {
            stage.turnEnded(atMilliseconds: UInt64(time) * 1000)
            stage.world.handler.flushRecords()
        }
        #expect(told("records-unattended") == 1 && told("records-process-replaced") == 0)
        stage.companions.mayStart = true
        stage.turnEnded(atMilliseconds: 5000)
        stage.world.handler.flushRecords()
        #expect(told("records-unattended") == 1 && told("records-process-replaced") == 1)
    }

    @Test(
        "has another companion write what waits when it leaves after its own has ended",
        arguments: [true, false]
    )
    func leaves(mayStart: Bool) throws {
        let stage = try CompanionStage()
        try stage.answer()
        stage.companions.started[0].hasEnded = true
        stage.companions.mayStart = mayStart
        // The new one ends without taking the decision.
        stage.world.handler.finishRecords(within: 5)
        #expect(stage.companions.started.map(\.finishCount) == (mayStart ? [0, 1] : [0]))
        #expect(stage.world.counters.value(.decisionsDropped) == 1 && stage.companions.take() == nil)
        #expect(stage.world.log.lines.contains { $0.contains("code=decisions-dropped") })
    }

    @Test("leaves what waits to a companion that lives when its time is over")
    func leavesBehind() throws {
        let stage = try CompanionStage()
        try stage.answer()
        stage.companions.started[0].finishes = false
        stage.world.handler.finishRecords(within: 5)
        #expect(stage.world.log.lines.contains("warning left before all decision records were written"))
        #expect(stage.companions.take() != nil && stage.world.counters.value(.decisionsDropped) == 0)
    }

    @Test("starts no companion when it leaves and nothing waits")
    func leavesWithout() throws {
        let stage = try CompanionStage()
        stage.companions.started[0].hasEnded = true
        stage.world.handler.finishRecords(within: 5)
        #expect(stage.companions.started.count == 1)
        #expect(!stage.world.log.lines.contains { $0.contains("left before") })
    }

    @Test(
        "tells a companion again to open its files when that could not be told before, but no new companion"
    )
    func reopensLater() throws {
        let stage = try CompanionStage()
        let first = stage.companions.started[0]
        func look(atMilliseconds time: UInt64) throws {
            try stage.answer()
            stage.turnEnded(atMilliseconds: time)
            stage.turnEnded(atMilliseconds: time + 1000)
        }
        // The companion has taken everything, and no decision comes.
        func lookWithoutWork(atMilliseconds time: UInt64) {
            while stage.companions.take() != nil {}
            stage.turnEnded(atMilliseconds: time)
            stage.turnEnded(atMilliseconds: time + 1000)
        }
        first.listens = false
        stage.world.handler.reopenLogs()
        try look(atMilliseconds: 1000)
        #expect(first.reopenCount == 0)
        lookWithoutWork(atMilliseconds: 2500)
        #expect(first.reopenCount == 0)
        first.listens = true
        lookWithoutWork(atMilliseconds: 4000)
        lookWithoutWork(atMilliseconds: 6000)
        #expect(first.reopenCount == 1 && stage.world.handler.wakeNanoseconds == nil)
        first.listens = false
        stage.world.handler.reopenLogs()
        first.hasEnded = true
        try look(atMilliseconds: 8000)
        try look(atMilliseconds: 10_000)
        #expect(stage.companions.started.map(\.reopenCount) == [1, 0])
    }

    @Test("wakes a companion that lives once more when decisions wait for a second")
    func wakesAgain() throws {
        let stage = try CompanionStage()
        let companion = try #require(stage.companions.started.first)
        try stage.answer()
        stage.turnEnded(atMilliseconds: 10)
        stage.turnEnded(atMilliseconds: 1010)
        #expect(companion.wakeCount == 1 && stage.companions.started.count == 1)
    }

    @Test("drops decisions when the companion does not take them, counts each, says so once, and goes on")
    func drops() throws {
        let stage = try CompanionStage()
        try stage.answer()
        let size = try #require(stage.companions.take()).count
        // Room for this many at least.
        let room = DecisionRecorder.ringByteCount / (size + 16)
        let counters = stage.world.counters
        try stage.answer(room)
        #expect(counters.value(.decisionsDropped) == 0)
        try stage.answer(room / 4)
        let dropped = counters.value(.decisionsDropped)
        #expect(dropped > 0 && dropped < UInt64(room / 4))
        for _ in 0..<3 { stage.world.handler.turnEnded(FastCGICounts()) }
        #expect(stage.world.log.lines.count { $0.contains("code=decisions-dropped") } == 1)
        var numbers: [UInt64] = []
        while let message = stage.companions.take() {
            numbers.append(try #require(Self.noted(message)).sequence)
        }
        #expect(numbers.count + Int(dropped) == room + room / 4)
        // The lost ones are a gap: the next record has a number behind them.
        try stage.answer()
        let last = try #require(stage.companions.take())
        #expect(Self.noted(last)?.sequence == UInt64(1 + room + room / 4 + 1))
    }

    @Test("passes on that logs are to be opened again, and says when it leaves before all is written")
    func passesOn() throws {
        let stage = try CompanionStage()
        let companion = try #require(stage.companions.started.first)
        stage.world.handler.reopenLogs()
        #expect(companion.reopenCount == 1)
        stage.world.handler.finishRecords(within: 5)
        #expect(!stage.world.log.lines.contains { $0.contains("left before") })
        companion.finishes = false
        stage.world.handler.finishRecords(within: 5)
        #expect(stage.world.log.lines.contains("warning left before all decision records were written"))
    }

    @Test("writes its records itself when no companion can be started")
    func withoutCompanion() throws {
        let (world, folder) = try DecisionRecordsTests.world(startCompanion: { _ throws(SystemCallError) in
            throw .found(.fileEmpty)
        })
        #expect(world.handler.recorder?.writesItself == true)
        _ = world.answer(world.parameters(), try world.body())
        world.handler.flushRecords()
        #expect(try DecisionRecordsTests.records(folder).count == 1)
    }

    @Test("hands on bytes of which no damage can be worse than a wrong record")
    func damaged() throws {
        let stage = try CompanionStage()
        try stage.answer()
        let message = try #require(stage.companions.take())
        for length in 0..<message.count { #expect(Self.noted(Array(message.prefix(length))) == nil) }
        var generator = SeededGenerator(for: "damaged decisions")
        let ring = try SharedRing(byteCount: 1 << 16, name: "test")
        var other = try SharedRing(
            inheriting: FileDescriptor.duplicate(of: ring.descriptorNumber),
            byteCount: 1 << 16
        )
        let writer = try #require(
            try DecisionRecordWriter(stage.world.handler.generation, stage.world.counters)
        )
        let count = 20_000
        for _ in 0..<count {
            var damaged = message
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[place] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
                    .randomElement(using: &generator) ?? 0
            }
            let isAppended = ring.append(damaged.span)
            #expect(isAppended)
            writer.write(from: &other)
        }
        let counters = stage.world.counters
        // Numbers may be larger than readers of JSON take.
        let records = String(decoding: try stage.folder.read("d"), as: UTF8.self).split(separator: "\n")
        #expect(records.allSatisfy { $0.hasPrefix(#"{"time":""#) && $0.hasSuffix("}") })
        #expect(UInt64(records.count) == counters.value(.decisionsWritten))
        #expect(records.count + Int(counters.value(.decisionsDropped)) == count && records.count > count / 2)
    }
}
