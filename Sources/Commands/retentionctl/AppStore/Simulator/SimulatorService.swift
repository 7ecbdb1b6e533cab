internal import AppStoreSimulator
internal import AppStoreTraffic
internal import FastCGI
internal import HTTPClient
internal import System
internal import Vocabulary

/// The loop around a simulator: takes requests, does what the answers ask for, keeps the state in its file.
final class SimulatorService {
    var tests: PerformanceTestProcesses?
    var sender: NotificationSender?
    var printsRequests = false

    private var simulator: AppStoreSimulator
    private var random: SimulatorRandomness
    private let file: SimulatorStateFile?
    /// True when the state has changed since it was written.
    private var isChanged = false
    private var writtenAt: UInt64 = 0
    private var writeFailure: ToolFailure?

    private static let writePauseNanoseconds: UInt64 = 1_000_000_000
    /// How long the loop sleeps at most while notifications are under way.
    private static let sendingMilliseconds: Int32 = 5
    /// How much longer than the last writing of the state the pause before the next one is.
    private static let writePauseFactor: UInt64 = 10
    private var writeNanoseconds: UInt64 = 0
    /// How long the simulator may take to leave, so that a client that reads slowly cannot keep it.
    private static let leavingNanoseconds: UInt64 = 3_000_000_000
    /// How often the simulator looks at the time meanwhile, also when a notification that it no longer sends is due.
    private static let leavingPauseMilliseconds: Int32 = 50
    /// The status with which nginx is told to close the connection (nginx/appstore-simulator.conf).
    private static let lostStatus = 599

    init(_ simulator: AppStoreSimulator, random: SimulatorRandomness, file: SimulatorStateFile?) {
        self.simulator = simulator
        self.random = random
        self.file = file
    }

    /// Serves until INT, TERM, QUIT or HUP. Prints `text` once requests are accepted.
    func run(listener: consuming ListeningSocket, saying text: String) throws {
        let signals = try SignalDescriptor(receiving: [.interrupt, .terminate, .quit, .hangup])
        var settings = FastCGISettings()
        settings.bodyByteCount = SimulatorLimits.imageByteCount + (1 << 20)
        let server = try FastCGIServer(listener: listener, settings: settings)
        try server.watch(signals.descriptor.number, as: .signals)
        Console.print(text)
        var leavesAt: UInt64?
        while leavesAt.map({ server.connectionCount > 0 && Clock.monotonicNanoseconds() < $0 }) ?? true {
            let sleep = leavesAt == nil ? sleepMilliseconds : Self.leavingPauseMilliseconds
            let sources = try server.turn(timeoutMilliseconds: sleep) { self.answer(&$0) }
            if leavesAt == nil { try sendNotifications() }
            for (test, outcome) in tests?.ended() ?? [] { finish(test, outcome) }
            writeState(isLast: false)
            if sources.contains(.signals), try signals.next() != nil, leavesAt == nil {
                leavesAt = Clock.monotonicNanoseconds() + Self.leavingNanoseconds
                server.drain { self.answer(&$0) }
            }
        }
        tests?.stop()
        writeState(isLast: true)
        if let writeFailure { throw writeFailure }
    }

    /// How long the loop may sleep until there is something to do without a request; nil for ever.
    private var sleepMilliseconds: Int32? {
        if sender?.isSending == true { return Self.sendingMilliseconds }
        let isBusy = tests?.isRunning == true || isChanged
        guard let next = simulator.nextDeliveryMilliseconds, sender != nil else { return isBusy ? 50 : nil }
        let wait = Int32(clamping: max(0, next - Clock.wallMilliseconds()))
        return isBusy ? min(50, wait) : min(60_000, wait)
    }

    /// Sends the notifications that are due, and notes how earlier ones ended.
    private func sendNotifications() throws(HTTPClientError) {
        guard let sender else { return }
        try sender.send { count in
            self.simulator.takeDueNotifications(at: Clock.wallMilliseconds(), count: count)
        } finished: { delivery, result, answer in
            self.simulator.finishDelivery(
                delivery, result: result, answer: answer, at: Clock.wallMilliseconds())
            self.isChanged = self.file != nil
            if self.printsRequests {
                Console.note("\(delivery.environment.rawValue) notification \(result.rawValue)")
            }
        }
    }

    private func answer(_ request: inout FastCGIRequest) -> GatewayResponse {
        guard let read = Self.read(&request) else {
            return GatewayResponse(status: 400, contentType: "application/json", body: [])
        }
        let answer = simulator.answer(read, at: request.acceptedWallMilliseconds, using: &random)
        if read.method != "GET" { isChanged = file != nil }
        if let test = answer.startedTest { start(test) }
        if printsRequests {
            let outcome = answer.isLost ? "lost" : String(answer.status)
            Console.note("\(read.environment.rawValue) \(read.method) \(read.target) \(outcome)")
        }
        return Self.response(answer)
    }

    /// Returns an answer of the simulator in the form that nginx expects.
    private static func response(_ answer: SimulatorAnswer) -> GatewayResponse {
        var response = GatewayResponse(
            status: answer.isLost ? lostStatus : answer.status,
            contentType: "application/json",
            fields: answer.retryAfterMilliseconds.map { [HeaderField("Retry-After", "\($0)")] } ?? [],
            body: answer.isLost ? [] : answer.body
        )
        response.delayMilliseconds = UInt64(max(0, answer.delayMilliseconds))
        return response
    }

    /// Reads a request. Returns nil when nginx does not say the environment, or the body has not arrived whole.
    private static func read(_ request: inout FastCGIRequest) -> SimulatorRequest? {
        guard let environment = text(request, "APPSTORE_ENVIRONMENT").flatMap(Environment.init),
            environment == .production || environment == .sandbox,
            let method = text(request, "REQUEST_METHOD"), let target = text(request, "REQUEST_URI")
        else { return nil }
        var body: [UInt8]?
        switch request.readBody(limitBytes: SimulatorLimits.imageByteCount) {
        case .complete: body = request.withBody { $0.copied() }
        case .tooLarge: body = nil
        case .incomplete, .aborted, .late: return nil
        }
        return SimulatorRequest(
            environment: environment, method: method, target: target,
            contentType: text(request, "CONTENT_TYPE"), authorization: text(request, "HTTP_AUTHORIZATION"),
            body: body)
    }

    /// Returns a parameter; nil when it is absent, empty or no UTF-8.
    private static func text(_ request: borrowing FastCGIRequest, _ name: StaticString) -> String? {
        let bytes = request.withParameter(name) { $0?.copied() }
        return bytes.flatMap { $0.isEmpty ? nil : String(validating: $0, as: UTF8.self) }
    }

    private func start(_ test: StartedPerformanceTest) {
        guard let (outcome, reason) = tests?.start(test) else { return }
        Console.note("the performance test \(test.requestId) cannot be run: \(reason)")
        finish(test, outcome)
    }

    private func finish(_ test: StartedPerformanceTest, _ outcome: PerformanceTestOutcome) {
        simulator.finishTest(test.requestId, bundleId: test.bundleId, outcome: outcome)
        isChanged = file != nil
        if printsRequests {
            Console.note("performance test \(test.requestId) \(outcome.isPass ? "PASS" : "FAIL")")
        }
    }

    /// Writes the state when it has changed, at most once a second and for a tenth of the time. A failure is reported once; the next attempt follows.
    private func writeState(isLast: Bool) {
        guard let file, isChanged else { return }
        let now = Clock.monotonicNanoseconds()
        guard
            isLast
                || now - writtenAt
                    >= max(Self.writePauseNanoseconds, writeNanoseconds * Self.writePauseFactor)
        else { return }
        writtenAt = now
        do throws(ToolFailure) {
            try file.write(simulator.state)
            isChanged = false
            writeFailure = nil
            writeNanoseconds = Clock.monotonicNanoseconds() - now
        } catch {
            if writeFailure == nil { Console.report(error.findings, json: false) }
            writeFailure = error
        }
    }
}
