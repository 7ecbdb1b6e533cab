internal import AppStoreSimulator
internal import AppStoreTraffic
internal import System

/// Runs the performance tests of the simulator, each as `retentionctl appstore performance-test` in a process of its own, so
/// that the simulator answers requests meanwhile.
struct PerformanceTestProcesses {
    private let options: SimulatedEndpointOptions
    private let configuration: PerformanceTestConfiguration
    private var running: [RunningTest] = []

    /// A process, and the end of the pair of sockets on which its output arrives.
    private final class RunningTest {
        let test: StartedPerformanceTest
        let processID: Int32
        let output: StreamSocket

        init(_ test: StartedPerformanceTest, processID: Int32, output: consuming StreamSocket) {
            self.test = test
            self.processID = processID
            self.output = output
        }
    }

    init(options: SimulatedEndpointOptions, configuration: PerformanceTestConfiguration) {
        self.options = options
        self.configuration = configuration
    }

    /// True while a test runs.
    var isRunning: Bool { !running.isEmpty }

    /// Starts a test. Returns its outcome when it cannot be run, with the reason; nil when it runs.
    mutating func start(_ test: StartedPerformanceTest) -> (outcome: PerformanceTestOutcome, reason: String)?
    {
        let failed = PerformanceTestOutcome(allFailed: configuration.totalRequests, failure: "OTHER")
        guard EndpointHost(url: test.target)?.isAllowed(by: options.allowHost) == true else {
            return (failed, "\(test.target) is not on this machine; --allow-host can name its host")
        }
        guard let authority = options.authority else {
            return (failed, "there is no --authority that could sign the requests")
        }
        do throws(SystemCallError) {
            running.append(try Self.start(test, arguments(test, authority)))
            return nil
        } catch {
            return (failed, error.description)
        }
    }

    /// Returns the tests that have ended since the last call, with their outcomes.
    mutating func ended() -> [(test: StartedPerformanceTest, outcome: PerformanceTestOutcome)] {
        var ended: [(StartedPerformanceTest, PerformanceTestOutcome)] = []
        running.removeAll { item in
            guard Processes.reap(item.processID) != nil else { return false }
            let outcome = PerformanceTestOutcome(json: Self.read(item.output))
            let failed = PerformanceTestOutcome(pendingCount: configuration.totalRequests)
            ended.append((item.test, outcome ?? failed))
            return true
        }
        return ended
    }

    /// Ends all tests that still run.
    mutating func stop() {
        for item in running { try? Processes.send(.kill, to: item.processID) }
        for item in running { _ = Processes.wait(for: item.processID) }
        running = []
    }

    private static func start(_ test: StartedPerformanceTest, _ arguments: [String]) throws(SystemCallError)
        -> RunningTest
    {
        var child = ChildProcess(
            executable: ChildProcess.ownExecutable, arguments: arguments,
            environment: ProcessEnvironment.all())
        return try StreamSocket.makePair().split { ours, theirs throws(SystemCallError) in
            try theirs.descriptor.setNonBlocking(false)
            child.descriptors = [(theirs.descriptor.number, 1)]
            return RunningTest(test, processID: try child.start(), output: ours)
        }
    }

    private func arguments(_ test: StartedPerformanceTest, _ authority: String) -> [String] {
        let authorities = options.cacert ?? TestAuthority.path(.serverAuthority, authority)
        return [
            "retentionctl", "appstore", "performance-test", "--json", "--url", test.target,
            "--cacert", authorities, "--authority", authority, "--app", String(test.appAppleId),
            "--product=" + options.product, "--locale=" + options.locale, "--environment", "Sandbox",
            "--original-transaction-id", test.originalTransactionId,
            // A redirection could lead to a host that is not allowed.
            "--max-redirects", "0",
            "--max-concurrent-requests", String(configuration.maxConcurrentRequests),
            "--total-requests", String(configuration.totalRequests),
            "--total-duration", String(configuration.totalDuration),
            "--response-time-threshold", String(configuration.responseTimeThreshold),
            "--success-rate-threshold", String(configuration.successRateThreshold),
        ]
    }

    /// Reads what a process has written that has ended.
    private static func read(_ socket: borrowing StreamSocket) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case .bytes(let count) = socket.receive(into: &block) { bytes += block[..<count] }
        return bytes
    }
}
