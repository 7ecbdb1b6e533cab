import Support
import Synchronization
import System
import Testing

/// The built tool is killed with SIGKILL while it applies a catalogue: around each request, and at random moments.
@Suite("retentionctl catalogue apply, killed")
struct CatalogueKillTests {
    /// `RETENTION_LONG_TESTS=1` kills at 200 points, with lost answers and failures of the server.
    private static let runsLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"

    /// Runs apply once, and kills it at a request or after a time.
    private static func run(
        _ world: CatalogueWorld, killingAt kill: (request: Int, moment: CatalogueServer.Moment)?,
        afterMilliseconds: Int32? = nil
    ) throws {
        let child = SharedNumber()
        if let kill {
            world.server.withState { state in
                let first = state.requests.count
                state.strike = { number, moment in
                    guard number == first + kill.request, moment == kill.moment else { return }
                    while child.value == nil { _ = try? Readiness.wait(for: [], timeoutMilliseconds: 1) }
                    if let number = child.value { try? Processes.send(.kill, to: number) }
                }
            }
        }
        var process = ChildProcess(
            executable: try ProgramRun.product("retentionctl"),
            arguments: ["retentionctl"] + world.words("apply", ["--confirm"]),
            environment: ["PATH=/usr/bin:/bin", "LANG=C"])
        let sink = try FileDescriptor.create(
            path: world.apple.folder.path(of: "output-\(UInt64.random(in: 0...UInt64.max))"),
            permissions: 0o600)
        process.descriptors = [(sink.number, 1), (sink.number, 2)]
        let number = try process.start()
        child.value = number
        if let afterMilliseconds {
            _ = try? Readiness.wait(for: [], timeoutMilliseconds: afterMilliseconds)
            try? Processes.send(.kill, to: number)
        }
        _ = Processes.wait(for: number)
        world.apple.server.waitUntilIdle()
        world.server.withState { $0.strike = { _, _ in } }
    }

    /// Applies to the end and checks what the server has.
    private static func finish(_ world: CatalogueWorld, keepsState: Bool, _ comment: Comment) throws {
        if !keepsState {
            try? Directory.rename(
                world.apple.folder.path(of: "state"), to: world.apple.folder.path(of: "old"))
        }
        let last = try world.run("apply", ["--confirm"])
        #expect(last.status == 0, "\(comment) \(last)")
        world.server.withState { state in
            #expect(state.images.count == 2 && state.messages.count == 2, comment)
            #expect(state.uploadCounts.values.allSatisfy { $0 == 1 }, comment)
            #expect(state.violations.isEmpty, comment)
            #expect(state.defaults.count == 4 && state.url == "https://example.com/b", comment)
        }
        guard keepsState else { return }
        #expect(try world.run("plan").status == 0, comment)
    }

    @Test("goes on at every request and uploads nothing twice", arguments: CatalogueServer.Moment.allCases)
    func requests(moment: CatalogueServer.Moment) throws {
        let whole = try CatalogueWorld()
        try Self.run(whole, killingAt: nil)
        let count = whole.server.withState { $0.requests.count }
        #expect(count == 14)
        // The gate takes every fourth request, and another one for each moment.
        let part = CatalogueServer.Moment.allCases.firstIndex(of: moment) ?? 0
        for request in 1...count where Self.runsLong || request % 4 == part {
            let world = try CatalogueWorld()
            try Self.run(world, killingAt: (request, moment))
            try Self.finish(world, keepsState: request % 2 == 0, "killed \(moment) \(request)")
        }
    }

    @Test("goes on at any moment, with lost answers and failures of the server")
    func moments() throws {
        var random = SeededGenerator(for: "catalogue apply killed at any moment")
        for round in 1...(Self.runsLong ? 160 : 4) {
            let world = try CatalogueWorld()
            let numbers = (0..<2).map { _ in Int.random(in: 4...14, using: &random) }
            let isLost = Bool.random(using: &random)
            world.server.withState { state in
                if isLost { state.lost = [numbers[0]] } else { state.failed = [numbers[0]] }
                state.failed.insert(numbers[1])
            }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let delay = Int32.random(in: 1...150, using: &random)
                try Self.run(world, killingAt: nil, afterMilliseconds: delay)
            }
            try Self.finish(world, keepsState: round % 2 == 0, "round \(round)")
        }
    }
}

/// A process number that two threads share.
private final class SharedNumber: Sendable {
    private let number = Mutex<Int32?>(nil)

    var value: Int32? {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }
}
