internal import AppStoreSimulator
internal import CommandLineTool
internal import HTTPClient
internal import System

/// Where requests come from: FastCGI behind nginx, or plain HTTP.
protocol RequestSource {
    var hasConnections: Bool { get }

    /// Waits, and answers the requests that have arrived. Returns true when the descriptor of the signals can be read.
    func turn(
        timeoutMilliseconds: Int32?, signals: Int32, answer: (SimulatorRequest) -> SimulatorAnswer
    ) throws -> Bool

    /// Accepts no more connections, and sends late answers now.
    func drain(answer: (SimulatorRequest) -> SimulatorAnswer)
}

/// The loop around a simulator: takes requests, does what the answers ask for, keeps the state in its file.
final class SimulatorService {
    private var simulator: AppStoreSimulator
    private var random: SimulatorRandomness
    private let file: SimulatorStateFile?
    private let tests: PerformanceTestThreads
    private let sender: NotificationSender
    /// True when also what is not refused gets a line.
    private let printsAll: Bool
    /// True when the state has changed since it was written.
    private var isChanged = false
    private var writtenAt: UInt64 = 0
    private var writeFailure: (any Error)?

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

    init(
        _ simulator: AppStoreSimulator, random: SimulatorRandomness, file: SimulatorStateFile?,
        tests: PerformanceTestThreads, sender: NotificationSender, printsAll: Bool
    ) {
        self.simulator = simulator
        self.random = random
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

    /// How long the loop may sleep until there is something to do without a request; nil for ever.
    private var sleepMilliseconds: Int32? {
        if sender.isSending { return Self.sendingMilliseconds }
        let isBusy = tests.isRunning || isChanged
        guard let next = simulator.nextDeliveryMilliseconds else { return isBusy ? 50 : nil }
        let wait = Int32(clamping: max(0, next - Clock.wallMilliseconds()))
        return isBusy ? min(50, wait) : min(60_000, wait)
    }

    /// Sends the notifications that are due, and remembers how earlier ones ended.
    private func sendNotifications() throws(HTTPClientError) {
        try sender.send { count in
            self.simulator.takeDueNotifications(at: Clock.wallMilliseconds(), count: count)
        } finished: { delivery, result, answer in
            self.simulator.finishDelivery(
                delivery, result: result, answer: answer, at: Clock.wallMilliseconds())
            self.isChanged = self.file != nil
            guard self.printsAll || result != .success else { return }
            Console.note("\(delivery.environment.rawValue) notification \(result.rawValue): \(answer)")
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
            Console.note("\(request.environment.rawValue) \(request.method) \(request.target) \(outcome)")
        }
        return answer
    }

    private func finish(_ ended: PerformanceTestThreads.EndedTest) {
        let test = ended.test
        if let problem = ended.problem {
            Console.note("the performance test \(test.requestId) cannot be run: \(problem)")
        }
        simulator.finishTest(test.requestId, bundleId: test.bundleId, result: ended.result)
        isChanged = file != nil
        if printsAll {
            Console.note("performance test \(test.requestId) \(ended.result.result.rawValue)")
        }
    }

    /// Writes the state when it has changed, at most once a second and for a tenth of the time. A failure is reported once;
    /// the next attempt follows.
    private func writeState(isLast: Bool) {
        guard let file, isChanged else { return }
        let now = Clock.monotonicNanoseconds()
        let pause = max(Self.writePauseNanoseconds, writeNanoseconds * Self.writePauseFactor)
        guard isLast || now - writtenAt >= pause else { return }
        writtenAt = now
        do {
            try file.write(simulator.state)
            isChanged = false
            writeFailure = nil
            writeNanoseconds = Clock.monotonicNanoseconds() - now
        } catch {
            if writeFailure == nil { Console.report(ToolError(error).findings, json: false) }
            writeFailure = error
        }
    }
}
