import Support
import Synchronization
import System
import Testing

extension EndToEnd {
    /// Real processes of `retentionctl catalogue apply` are killed with SIGKILL at exact points (``PreloadedLibrary``),
    /// against the real simulator behind nginx, and then applied again.
    @Suite("catalogue apply, killed at exact points")
    struct InterruptedApplyTests {
        /// A way to be killed and to go on.
        struct Mode: Sendable, CustomTestStringConvertible {
            let phase: ApplyScene.Phase
            let keepsState: Bool
            var testDescription: String { "\(phase), \(keepsState ? "with" : "without") state" }

            static let all = ApplyScene.Phase.allCases.flatMap { phase in
                [Mode(phase: phase, keepsState: true), Mode(phase: phase, keepsState: false)]
            }
        }

        /// The simulators that work at the same time, each for processes of its own.
        private static let worldCount = 4

        @Test("goes on at every point, and uploads nothing twice", arguments: Mode.all)
        func points(mode: Mode) throws {
            let library = try PreloadedLibrary.killing()
            let count = try Self.pointCount(mode, library)
            #expect(count > 100)
            var random = SeededGenerator(for: "apply killed, \(mode.testDescription)")
            var points = Array(1...count)
            if !Programs.runsLong { points = Array(points.shuffled(using: &random).prefix(10)) }
            let killed = Atomic<Int>(0)
            let wrong = try Self.inWorlds(points) { world, scenes in
                try scenes.flatMap { number, point in
                    let scene = try ApplyScene(
                        world, "com.example.app\(number)", mode.phase, keepsState: mode.keepsState)
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

        /// The number of points that a run passes which is not killed.
        private static func pointCount(_ mode: Mode, _ library: PreloadedLibrary) throws -> Int {
            let world = try SimulatorWorld(apps: ["com.example.app"])
            try ApplyScene.writeImages(in: world.folder)
            let scene = try ApplyScene(world, "com.example.app", mode.phase, keepsState: mode.keepsState)
            try scene.prepare()
            let file = world.folder.path(of: "points")
            let run = try scene.apply([library.environment, "POINT_FILE=\(file)"])
            #expect(run.status == mode.phase.status, "\(run)")
            return Int(String(decoding: try world.folder.read("points"), as: UTF8.self)) ?? 0
        }

        /// Divides numbered tasks among worlds that work at the same time, and returns everything that went wrong.
        private static func inWorlds<Task: Sendable>(
            _ tasks: [Task],
            _ body: @escaping @Sendable (SimulatorWorld, [(number: Int, task: Task)]) throws -> [String]
        ) throws -> [String] {
            let numbered = tasks.enumerated().map { (number: $0, task: $1) }
            let threads = try (0..<worldCount).map { index in
                let own = numbered.filter { $0.number % worldCount == index }
                return try JoinableThread { () -> [String] in
                    do {
                        let apps = own.map { "com.example.app\($0.number)" }
                        guard !apps.isEmpty else { return [] }
                        let world = try SimulatorWorld(apps: apps)
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
