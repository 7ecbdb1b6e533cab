import FastCGI
import Support
import System
import Telemetry
import Testing

@testable import Endpoints

/// The companion of a worker, played by a test.
final class PlayedCompanion: RecordCompanion {
    var hasEnded = false
    var wakeCount = 0
    var reopenCount = 0
    /// False when it cannot be told to open its files again.
    var listens = true
    var finishCount = 0
    /// True when it ends in time.
    var finishes = true

    func wake() { wakeCount += 1 }

    func reopenLogs() -> Bool {
        if listens { reopenCount += 1 }
        return listens
    }

    func finish(within milliseconds: Int32) -> Bool {
        finishCount += 1
        return finishes
    }
}

/// A world, the companions that it has started, and the companion's side of the ring.
struct CompanionStage {
    let world: EndpointWorld
    let folder: TemporaryDirectory
    let companions: Companions
    let recorder: DecisionRecorder

    final class Companions {
        var started: [PlayedCompanion] = []
        var mayStart = true
        var ring: SharedRing?

        func take() -> [UInt8]? {
            var taken: [UInt8]?
            _ = ring?.take { taken = $0.copied() }
            return taken
        }

        func askToBeWoken() -> Bool { ring?.askToBeWoken() ?? false }
    }

    init() throws {
        let companions = Companions()
        (world, folder) = try DecisionRecordsTests.world { ring throws(SystemCallError) in
            guard companions.mayStart else { throw .found(.fileEmpty) }
            if companions.ring == nil {
                let copy = try FileDescriptor.duplicate(of: ring.descriptorNumber)
                companions.ring = try SharedRing(
                    inheriting: copy,
                    byteCount: DecisionRecorder.ringByteCount
                )
            }
            companions.started.append(PlayedCompanion())
            return companions.started[companions.started.count - 1]
        }
        self.companions = companions
        recorder = try #require(world.handler.recorder)
    }

    func answer(_ count: Int = 1) throws {
        let body = try world.body()
        for _ in 0..<count { #expect(world.answer(world.parameters(), body).status == 200) }
    }

    func turnEnded(atMilliseconds time: UInt64) { recorder.turnEnded(atNanoseconds: time * 1_000_000) }
}
