internal import AppStoreSimulator
internal import CommandLineTool
internal import HTTPClient
internal import Synchronization
internal import System

/// Where requests come from: FastCGI behind nginx, or plain HTTP.
protocol RequestSource {
    var hasConnections: Bool { get }

    /// Returns true when the descriptor of the signals can be read.
    func turn(
        timeoutMilliseconds: Int32?, signals: Int32, answer: (SimulatorRequest) -> SimulatorAnswer
    ) throws -> Bool

    func drain(answer: (SimulatorRequest) -> SimulatorAnswer)
}

/// The loop around a simulator: takes requests, does what the answers ask for, keeps the state in its file.
final class SimulatorService {
    private var simulator: AppStoreSimulator
    private var random = SystemRandomNumberGenerator()
    private let file: SimulatorStateFile?
    private let tests: PerformanceTestThreads
    private let sender: NotificationSender
    private let printsAll: Bool
    private var isChanged = false
    private var writtenAt: UInt64 = 0
    private var writeFailure: (any Error)?

    private static let writePauseNanoseconds: UInt64 = 1_000_000_000
    private static let sendingMilliseconds: Int32 = 5
    /// How long the simulator may take to leave, so that a client that reads slowly cannot keep it.
    private static let leavingNanoseconds: UInt64 = 3_000_000_000
    private static let leavingPauseMilliseconds: Int32 = 50

    init(
        _ simulator: AppStoreSimulator, file: SimulatorStateFile?, tests: PerformanceTestThreads,
        sender: NotificationSender, printsAll: Bool
    ) {
        self.simulator = simulator
        self.file = file
        self.tests = tests
        self.sender = sender
        self.printsAll = printsAll
    }

    /// Serves until INT, TERM, QUIT or HUP. Prints `text` once requests are accepted.
    func run(_ source: some RequestSource, saying text: String) throws {
        let signals = try SignalDescriptor(receiving: [.interrupt, .terminate, .quit, .hangup])
        Console.print(text)
        var leavesAt: UInt64?
        while leavesAt.map({ source.hasConnections && Clock.monotonicNanoseconds() < $0 }) ?? true {
            let sleep = leavesAt == nil ? sleepMilliseconds : Self.leavingPauseMilliseconds
            let isSignalled = try source.turn(
                timeoutMilliseconds: sleep, signals: signals.descriptor.number, answer: answer)
            if leavesAt == nil { try sendNotifications() }
            for ended in tests.takeEnded() { finish(ended) }
            writeState(isLast: false)
            if isSignalled, try signals.next() != nil, leavesAt == nil {
                leavesAt = Clock.monotonicNanoseconds() + Self.leavingNanoseconds
                source.drain(answer: answer)
            }
        }
        writeState(isLast: true)
        if let writeFailure { throw writeFailure }
    }

    private var sleepMilliseconds: Int32? {
        if sender.isSending { return Self.sendingMilliseconds }
        let isBusy = tests.isRunning || isChanged
        guard let next = simulator.nextDeliveryMilliseconds else { return isBusy ? 50 : nil }
        let wait = Int32(clamping: max(0, next - Clock.wallMilliseconds()))
        return isBusy ? min(50, wait) : min(60_000, wait)
    }

    private func sendNotifications() throws(HTTPClientError) {
        try sender.send { count in
            self.simulator.takeDueNotifications(at: Clock.wallMilliseconds(), count: count)
        } finished: { delivery, result, answer in
            self.simulator.finishDelivery(
                delivery, result: result, answer: answer, at: Clock.wallMilliseconds())
            self.isChanged = self.file != nil
            guard self.printsAll || result != .success else { return }
            Console.log("\(delivery.environment.rawValue) notification \(result.rawValue): \(answer)")
        }
    }

    private func answer(_ request: SimulatorRequest) -> SimulatorAnswer {
        let answer = simulator.answer(request, at: Clock.wallMilliseconds(), using: &random)
        if request.method != "GET" { isChanged = file != nil }
        if let test = answer.startedTest { tests.start(test) }
        let isRefused = answer.status >= 400
        if printsAll || isRefused || answer.isLost {
            let body = isRefused ? " " + String(decoding: answer.body, as: UTF8.self) : ""
            let outcome = answer.isLost ? "lost" : "\(answer.status)\(body)"
            Console.log("\(request.environment.rawValue) \(request.method) \(request.target) \(outcome)")
        }
        return answer
    }

    private func finish(_ ended: PerformanceTestThreads.EndedTest) {
        let test = ended.test
        if let problem = ended.problem {
            Console.log("the performance test \(test.requestId) cannot be run: \(problem)")
        }
        simulator.finishTest(test.requestId, bundleId: test.bundleId, result: ended.result)
        isChanged = file != nil
        if printsAll {
            Console.log("performance test \(test.requestId) \(ended.result.result.rawValue)")
        }
    }

    /// Writes the state when it has changed, at most once a second. A failure is reported once; the next attempt follows.
    private func writeState(isLast: Bool) {
        guard let file, isChanged else { return }
        let now = Clock.monotonicNanoseconds()
        guard isLast || now - writtenAt >= Self.writePauseNanoseconds else { return }
        writtenAt = now
        do {
            try file.write(simulator.state)
            isChanged = false
            writeFailure = nil
        } catch {
            if writeFailure == nil { Console.report(ToolError(error).findings, json: false) }
            writeFailure = error
        }
    }
}

/// Runs the performance tests of the simulator, each on a thread of its own, so that the simulator answers requests meanwhile.
final class PerformanceTestThreads: Sendable {
    struct Setup: Sendable {
        let configuration: PerformanceTestConfiguration
        let signer: SignedRequestBuilder?
        let authoritiesFile: String?
        let allowedHosts: [String]
        let productId: String
        let userLocale: String
    }

    struct EndedTest {
        let test: StartedPerformanceTest
        let result: PerformanceTestResultResponse
        var problem: String?
    }

    private let setup: Setup
    private let state = Mutex<(runningCount: Int, ended: [EndedTest])>((0, []))

    init(_ setup: Setup) { self.setup = setup }

    var isRunning: Bool { state.withLock { $0.runningCount > 0 || !$0.ended.isEmpty } }

    func start(_ test: StartedPerformanceTest) {
        state.withLock { $0.runningCount += 1 }
        guard ReceiverURL(test.target)?.isAllowed(by: setup.allowedHosts) == true else {
            return fail(test, "\(test.target) is not on this machine; --allow-host can name its host")
        }
        guard let signer = setup.signer else {
            return fail(test, "there is no --authority that could sign the requests")
        }
        do {
            try ServiceThread.start {
                do {
                    self.end(test, try self.run(test, signer).response)
                } catch {
                    self.fail(test, "\(error)")
                }
            }
        } catch {
            fail(test, "\(error)")
        }
    }

    func takeEnded() -> [EndedTest] {
        state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
    }

    private func run(_ test: StartedPerformanceTest, _ signer: SignedRequestBuilder) throws
        -> PerformanceTestResult
    {
        var run = PerformanceTest(configuration: setup.configuration, url: test.target)
        run.authoritiesFile = setup.authoritiesFile
        // A redirection could lead to a host that is not allowed.
        run.redirectionCount = 0
        var generator = SystemRandomNumberGenerator()
        return try run.run(signing: signer) { _ in
            var payload = RequestPayload(
                appAppleId: test.appAppleId, productId: setup.productId, environment: .sandbox,
                requestIdentifier: UUID(randomFrom: &generator), signedDate: Clock.wallMilliseconds())
            payload.userLocale = setup.userLocale
            payload.originalTransactionId = test.originalTransactionId
            return payload
        }
    }

    private func fail(_ test: StartedPerformanceTest, _ problem: String) {
        let result = PerformanceTestResultResponse(
            result: .fail, config: setup.configuration, target: test.target,
            failures: ["OTHER": setup.configuration.totalRequests])
        end(test, result, problem)
    }

    private func end(
        _ test: StartedPerformanceTest, _ result: PerformanceTestResultResponse, _ problem: String? = nil
    ) {
        state.withLock {
            $0.runningCount -= 1
            $0.ended.append(EndedTest(test: test, result: result, problem: problem))
        }
    }
}

/// Sends the notifications of the simulator, several at once, while the simulator answers requests.
final class NotificationSender {
    private let client: HTTPClient
    private var underWay: [Int: NotificationDelivery] = [:]
    private var lastNumber = 0

    private static let concurrency = 16
    /// After how long Apple gives up an attempt is not published; its engineers say that 30 seconds are too long.
    private static let timeoutMilliseconds = 15_000

    init(authoritiesFile: String?) throws(HTTPClientError) {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = authoritiesFile
        configuration.timeoutMilliseconds = Self.timeoutMilliseconds
        configuration.connectTimeoutMilliseconds = Self.timeoutMilliseconds
        client = try HTTPClient(configuration: configuration)
    }

    var isSending: Bool { !underWay.isEmpty }

    func send(
        due: (_ count: Int) -> [NotificationDelivery],
        finished: (NotificationDelivery, SendAttemptResult, _ answer: String) -> Void
    ) throws(HTTPClientError) {
        for delivery in due(Self.concurrency - underWay.count) {
            lastNumber += 1
            let request = HTTPRequest.postJSON(delivery.body, to: delivery.url)
            do throws(HTTPClientError) {
                try client.begin(request, number: lastNumber)
                underWay[lastNumber] = delivery
            } catch {
                finished(delivery, SendAttemptResult(notification: .failure(error)), error.description)
            }
        }
        guard isSending else { return }
        try client.advance { number, outcome in
            guard let delivery = self.underWay.removeValue(forKey: number) else { return }
            finished(delivery, SendAttemptResult(notification: outcome), Self.words(outcome))
        }
    }

    private static func words(_ outcome: Result<HTTPResponse, HTTPClientError>) -> String {
        switch outcome {
        case .success(let response):
            let body = String(decoding: response.body.prefix(300), as: UTF8.self)
            return "status \(response.status)" + (body.isEmpty ? "" : " \(body)")
        case .failure(let error): return error.description
        }
    }
}
