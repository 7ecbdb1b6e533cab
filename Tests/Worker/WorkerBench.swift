import FastCGI
import Logging
@testable import Pool
import Support
import System
import Testing

/// Answers with the body of the request, and lets the test act in the middle of a request.
final class EchoHandler: WorkerHandler {
    var answeredCount = 0
    var duringRequest: (Int) throws -> Void = { _ in }
    var hintsTaken: [[UInt8]] = []
    var hintsToGive: [[UInt8]] = []
    var reopenCount = 0
    var turnCount = 0
    /// After this number of turns the handler calls ``atTurnLimit``.
    var turnLimit = Int.max
    var atTurnLimit: () throws -> Void = {}
    var leavesCount = 0
    /// The body of each answer; nil echoes the request's.
    var answer: [UInt8]?

    func answer(_ request: inout FastCGIRequest) -> GatewayResponse {
        answeredCount += 1
        do { try duringRequest(answeredCount) } catch { Issue.record(error) }
        _ = request.readBody(limitBytes: 1_000)
        let body = request.withBody { bytes in bytes.indices.map { bytes[$0] } }
        return GatewayResponse(status: 200, contentType: "text/plain", body: answer ?? body)
    }

    func classify(_ parameters: Span<UInt8>, wallMilliseconds: Int64) -> RequestClass { .prompt }
    func sent(nanoseconds: UInt64) {}
    func takeHint(_ hint: [UInt8]) { hintsTaken.append(hint) }
    func nextHint() -> [UInt8]? { hintsToGive.popLast() }
    func reopenLogs() { reopenCount += 1 }

    func leaves() { leavesCount += 1 }

    func turnEnded(_ counts: FastCGICounts) {
        turnCount += 1
        guard turnCount == turnLimit else { return }
        do { try atTurnLimit() } catch { Issue.record(error) }
    }
}

/// A worker and the other ends of its sockets, in one thread. The test sends before the loop runs, or in the middle of
/// a request.
final class WorkerBench {
    var loop: WorkerLoop
    var supervisor: MessageSocket?
    let path: String
    let directory: TemporaryDirectory

    init(_ settings: WorkerSettings = WorkerSettings(), isStandalone: Bool = false) throws {
        directory = try TemporaryDirectory()
        path = directory.path(of: "s")
        let listener = try ListeningSocket(unixPath: path, access: .init(mode: 0o600), backlog: 16)
        var ours: MessageSocket?
        var theirs: MessageSocket?
        try MessageSocket.makePair().split { first, second in
            ours = consume first
            theirs = consume second
        }
        let signals = try SignalDescriptor(receiving: [.quit, .terminate, .interrupt, .hangup, .user1])
        if isStandalone { ours = nil }
        loop = try WorkerLoop(
            listener: listener,
            control: ours.take(),
            signals: signals,
            settings: settings,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        supervisor = theirs.take()
    }
}

extension WorkerBench {
    /// The messages that the worker has sent since the last call.
    func receivedMessages() throws -> [ControlMessage] {
        var messages: [ControlMessage] = []
        while case .message(let message) = try supervisor?.receiveControl() ?? .closed {
            messages.append(message)
        }
        return messages
    }

    func say(_ message: ControlMessage) throws {
        try supervisor?.send(message)
    }
}
