import Support
import Synchronization
import System
import Testing
import Vocabulary

extension EndToEnd {
    /// Real processes of `retentionctl catalogue apply` are killed with SIGKILL at exact points (``PreloadedLibrary``),
    /// against the real simulator behind nginx, and then applied again.
    @Suite("catalogue apply, killed at exact points")
    struct InterruptedApplyTests {
        /// A way to be killed and to go on.
        struct Mode: Sendable, CustomTestStringConvertible {
            let phase: ApplyScene.Phase
            let keepsJournal: Bool
            var testDescription: String { "\(phase), \(keepsJournal ? "with" : "without") journal" }

            static let all = ApplyScene.Phase.allCases.flatMap { phase in
                [Mode(phase: phase, keepsJournal: true), Mode(phase: phase, keepsJournal: false)]
            }
        }

        /// The simulators that work at the same time, each for processes of its own.
        private static let worldCount = 4

        @Test("goes on at every point, and uploads nothing twice", arguments: Mode.all)
        func points(mode: Mode) throws {
            let library = try PreloadedLibrary.killingAndWarping()
            let count = try Self.pointCount(mode, library)
            #expect(count > 100)
            var random = SeededGenerator(for: "apply killed, \(mode.testDescription)")
            var points = Array(1...count)
            if !Programs.runsLong { points = Array(points.shuffled(using: &random).prefix(8)) }
            let killed = Atomic<Int>(0)
            let wrong = try Self.inWorlds(points) { world, scenes in
                try scenes.flatMap { number, point in
                    let scene = try ApplyScene(
                        world, "com.example.app\(number)", mode.phase, keepsJournal: mode.keepsJournal)
                    try scene.prepare()
                    let run = try scene.apply([library.environment, "KILL_AT=\(point)"])
                    // The last points may be missing: the system decides in how many pieces bytes arrive.
                    guard run.exit == .signalled(9) || run.status == mode.phase.status else {
                        return ["\(point): \(run)"]
                    }
                    if run.exit == .signalled(9) { killed.add(1, ordering: .relaxed) }
                    // In Production, the uploads wait for the review, and then another run does the rest.
                    let problem = try scene.finish(limit: mode.phase == .uploads ? 2 : 1)
                    return (problem.map { [$0] } ?? [])
                        + scene.complaints(try world.state())
                        .map { "killed at \(point): \($0)" }
                }
            }
            let kills = killed.load(ordering: .relaxed)
            #expect(kills * 10 >= points.count * 8)
            print("figures: \(kills) kills at \(count) points, \(mode.testDescription)")
            for complaint in wrong { Issue.record("\(complaint)") }
        }

        /// Kinds of faults, each in some of the answers. The times of slow answers and limits pass on the shared clock.
        private static let faults = [
            "lost-answer", "lost-request", "internal-error", "retryable-error", "late-error", "rate-limit",
            "truncated-body", "slow-answer",
        ]

        @Test(
            "goes on after kills among lost answers, failures and limits",
            arguments: ApplyScene.Phase.allCases
        )
        func faults(phase: ApplyScene.Phase) throws {
            let library = try PreloadedLibrary.killingAndWarping()
            let count = Programs.runsLong ? 80 : 4
            let rounds = (0..<count).map { round in
                var random = SeededGenerator(for: "apply killed among faults, \(phase), round \(round)")
                return Round(count: Int.random(in: 1...3, using: &random), random)
            }
            let options = Self.faults.flatMap { ["--fault", "\($0)=5"] } + ["--fault-milliseconds", "20"]
            let killed = Atomic<Int>(0)
            let wrong = try Self.inWorlds(rounds, options: options, clock: library) { world, scenes in
                try scenes.flatMap { number, round in
                    let scene = try ApplyScene(
                        world, "com.example.app\(number)", phase, keepsJournal: number % 2 == 0, planLimit: 50
                    )
                    var random = round.random
                    for _ in 0..<round.count {
                        // A run with repeated calls passes more points than one without faults.
                        let point = Int.random(in: 1...500, using: &random)
                        let run = try scene.apply([library.environment, "KILL_AT=\(point)"])
                        if run.exit == .signalled(9) { killed.add(1, ordering: .relaxed) }
                        if phase == .defaults || Bool.random(using: &random) { try scene.review() }
                        try scene.forget()
                    }
                    let problem = try scene.finish(limit: 50)
                    return (problem.map { [$0] } ?? [])
                        + scene.complaints(try world.state(), allowing: ["lost", "500", "429"])
                        .map { "round \(number): \($0)" }
                }
            }
            print("figures: \(killed.load(ordering: .relaxed)) kills among faults, \(phase)")
            for complaint in wrong { Issue.record("\(complaint)") }
        }

        /// A catalogue that is applied, killed so many times, and applied to the end.
        private struct Round: Sendable {
            let count: Int
            let random: SeededGenerator

            init(count: Int, _ random: SeededGenerator) {
                self.count = count
                self.random = random
            }
        }

        /// The number of points that a run passes which is not killed.
        private static func pointCount(_ mode: Mode, _ library: PreloadedLibrary) throws -> Int {
            let world = try SimulatorWorld(apps: ["com.example.app"])
            try ApplyScene.writeImages(in: world.folder)
            let scene = try ApplyScene(world, "com.example.app", mode.phase, keepsJournal: mode.keepsJournal)
            try scene.prepare()
            let file = world.folder.path(of: "points")
            let run = try scene.apply([library.environment, "POINT_FILE=\(file)"])
            #expect(run.status == mode.phase.status, "\(run)")
            return Int(String(decoding: try world.folder.read("points"), as: UTF8.self)) ?? 0
        }

        /// Divides numbered tasks among worlds that work at the same time, and returns everything that went wrong.
        private static func inWorlds<Task: Sendable>(
            _ tasks: [Task], options: [String] = [], clock: PreloadedLibrary? = nil,
            _ body: @escaping @Sendable (SimulatorWorld, [(number: Int, task: Task)]) throws -> [String]
        ) throws -> [String] {
            let numbered = tasks.enumerated().map { (number: $0, task: $1) }
            let threads = try (0..<worldCount).map { index in
                let own = numbered.filter { $0.number % worldCount == index }
                return try JoinableThread { () -> [String] in
                    do {
                        let apps = own.map { "com.example.app\($0.number)" }
                        guard !apps.isEmpty else { return [] }
                        let seed = ["--seed", "\(index)"]
                        let world = try SimulatorWorld(
                            apps: apps,
                            options: options + seed,
                            clock: clock.map { try SharedClock($0) }
                        )
                        try ApplyScene.writeImages(in: world.folder)
                        return try body(world, own)
                    } catch {
                        return ["\(error)"]
                    }
                }
            }
            return threads.flatMap { $0.join() ?? ["a thread failed"] }
        }
    }
}
