package import FastCGI
package import Logging
package import System

/// The life of a worker: ready, serving, draining, gone. One thread waits for all events at once.
///
/// The worker leaves when the supervisor tells it to, when the supervisor is gone, and on QUIT, TERM and INT. Without a
/// supervisor it also leaves on HUP and after its number of requests: the program that started it starts the next
/// worker.
package struct WorkerLoop: ~Copyable {
    private let server: FastCGIServer
    private let control: MessageSocket?
    private let signals: SignalDescriptor
    private let settings: WorkerSettings
    private let logger: Logger
    private var leavesAt: UInt64?
    private var hasAskedForReplacement = false
    /// True when the supervisor is gone and the TERM that the kernel sends for that has not come yet.
    private var awaitsDeathSignal = false
    private var controlNumber: Int32?
    private var isControlOpen: Bool { controlNumber != nil }

    /// The worker accepts connections from now on, and answers them once ``run(_:)`` is called. `signals` receives QUIT, TERM, INT, HUP and USR1. Every other signal must be blocked too, because libfcgi loses a
    /// request to any interruption.
    package init(
        listener: consuming ListeningSocket, control: consuming MessageSocket?,
        signals: consuming SignalDescriptor, settings: WorkerSettings, logger: Logger
    ) throws(FastCGIError) {
        let server = try FastCGIServer(listener: listener, settings: settings.fastCGI)
        try server.watch(signals.descriptor.number, as: .signals)
        let controlNumber = control?.descriptor.number
        if let controlNumber { try server.watch(controlNumber, as: .control) }
        self.server = server
        self.control = control
        self.signals = signals
        self.settings = settings
        self.logger = logger
        self.controlNumber = controlNumber
    }

    var isLeaving: Bool { leavesAt != nil }

    package var counts: FastCGICounts { server.counts }

    package mutating func run(_ handler: some WorkerHandler) -> WorkerOutcome {
        server.classifier = { [unowned handler] parameters, now in
            handler.classify(parameters, wallMilliseconds: now)
        }
        server.sendObserver = { [unowned handler] in handler.sent(nanoseconds: $0) }
        defer {
            server.closeConnections()
            server.classifier = nil
            server.sendObserver = nil
        }
        logger.notice("ready")
        // The supervisor watches the turns of a worker that is ready.
        handler.turnEnded(server.counts)
        if isControlOpen { send(.ready) }
        do throws(FastCGIError) {
            while true {
                let sources = try server.turn(timeoutMilliseconds: settings.turnMilliseconds) { request in
                    handler.answer(&request)
                }
                if sources.contains(.control) { readControl(handler) }
                if sources.contains(.signals) { readSignals(handler) }
                while isControlOpen, let hint = handler.nextHint() { send(.chainHint(hint)) }
                askForReplacement(handler)
                handler.turnEnded(server.counts)
                if let leavesAt {
                    handler.leaves()
                    let left = server.connectionCount
                    if left == 0 {
                        logger.notice("drained", metadata: ["requests": "\(server.counts.answeredCount)"])
                        return .drained
                    }
                    if Clock.monotonicNanoseconds() >= leavesAt { return .cutOff(connectionCount: left) }
                }
            }
        } catch {
            handler.leaves()
            return .failed(error)
        }
    }

    /// Begins to leave, within `milliseconds`. A later call can only shorten the time.
    private mutating func leave(_ handler: some WorkerHandler, within milliseconds: UInt64, why: String) {
        let deadline = Clock.monotonicNanoseconds() + milliseconds * 1_000_000
        if let leavesAt {
            self.leavesAt = min(leavesAt, deadline)
            return
        }
        leavesAt = deadline
        logger.notice("draining", metadata: ["why": "\(why)"])
        server.drain { request in handler.answer(&request) }
    }

    mutating func readControl(_ handler: some WorkerHandler) {
        while isControlOpen {
            // An error of the socket counts as its end: no message of the supervisor can arrive any more.
            switch (try? control?.receiveControl()) ?? .closed {
            case .nothing: return
            case .closed:
                endControl()
                awaitsDeathSignal = leavesAt == nil
                leave(handler, within: settings.replacementMilliseconds, why: "supervisor-gone")
            case .message(.drain(let milliseconds)):
                leave(handler, within: UInt64(milliseconds), why: "drain")
            case .message(.chainHint(let hint)): handler.takeHint(hint)
            case .message, .unknown: logger.warning("control message of another version ignored")
            }
        }
    }

    private mutating func readSignals(_ handler: some WorkerHandler) {
        while let signal = try? signals.next() { take(signal, handler) }
    }

    mutating func take(_ signal: Signal, _ handler: some WorkerHandler) {
        switch signal {
        case .quit: leave(handler, within: settings.quitMilliseconds, why: "QUIT")
        // The kernel sends this TERM because the supervisor is gone. The end of the control socket has already said so.
        case .terminate where awaitsDeathSignal: awaitsDeathSignal = false
        // The supervisor sends TERM to a worker that takes too long to leave.
        case .terminate, .interrupt:
            leave(handler, within: leavesAt == nil ? settings.drainMilliseconds : 0, why: "TERM")
        case .hangup where !isControlOpen:
            leave(handler, within: settings.replacementMilliseconds, why: "HUP")
        case .user1: handler.reopenLogs()
        default: break
        }
    }

    private mutating func askForReplacement(_ handler: some WorkerHandler) {
        guard let limit = settings.requestCountLimit, server.counts.answeredCount >= limit,
            leavesAt == nil, !hasAskedForReplacement
        else { return }
        if isControlOpen {
            hasAskedForReplacement = send(.recycle)
        } else {
            leave(handler, within: settings.replacementMilliseconds, why: "requests")
        }
    }

    /// Returns true when the message was sent. One that cannot be sent at once is not worth waiting for: a hint is only a
    /// hint, and the request for a replacement is repeated.
    @discardableResult
    private borrowing func send(_ message: ControlMessage) -> Bool {
        (try? control?.send(message)) != nil
    }

    private mutating func endControl() {
        if let number = controlNumber { server.unwatch(number) }
        controlNumber = nil
    }
}

/// The work of a worker: it answers requests with the one generation that the worker started with. ``WorkerLoop``
/// decides when each function is called.
package protocol WorkerHandler: AnyObject {
    func answer(_ request: inout FastCGIRequest) -> GatewayResponse

    /// Says whether a request is answered at once or waits for its turn, from the bytes of its parameters (``ParameterPairs``).
    func classify(_ parameters: Span<UInt8>, wallMilliseconds: Int64) -> RequestClass

    /// Another worker sent the hint, which is never trusted.
    func takeHint(_ hint: [UInt8])

    func nextHint() -> [UInt8]?

    /// Receives the counts of what has happened on the connections so far, before the first wait and after each turn.
    func turnEnded(_ counts: FastCGICounts)

    func sent(nanoseconds: UInt64)

    /// Called after each turn while the worker leaves.
    func leaves()

    func reopenLogs()
}

package struct WorkerSettings: Sendable {
    /// How long the worker may take to leave after TERM or INT. With each drain the supervisor says how long that one
    /// may take.
    package var drainMilliseconds: UInt64 = 5_000
    package var quitMilliseconds: UInt64 = 60_000
    /// How long the worker may take to leave when another worker takes its place, or when its supervisor is gone. At
    /// least a second, longer than Apple waits for an answer (700 ms), because nobody asked for haste.
    package var replacementMilliseconds: UInt64 { max(drainMilliseconds, 1_000) }
    /// The longest time between two turns of the loop, in milliseconds: each turn shows the supervisor that the worker
    /// is alive. Nil waits for the next event, however long that takes.
    package var turnMilliseconds: Int32?
    package var fastCGI = FastCGISettings()
    /// The number of answered requests after which the worker asks to be replaced; nil means never.
    package var requestCountLimit: UInt64?

    package init() {}

    /// Returns the most connections of a worker that may have so many descriptors open: some are for its files and
    /// logs. More than 16,384 connections are of no use, because so many requests do not fit into a deadline.
    package static func connectionCountLimit(openDescriptors: UInt64) -> Int {
        Int(min(max(openDescriptors, 320) - 256, 16_384))
    }

    /// Returns the limit of one worker for `maxRequests`. It is up to a tenth higher, so that workers which started
    /// together do not leave together.
    package static func requestCountLimit(maxRequests: Int) -> UInt64? {
        maxRequests > 0 ? UInt64(maxRequests + Int.random(in: 0...maxRequests / 10)) : nil
    }
}

package enum WorkerOutcome: Sendable, Hashable {
    case drained
    case cutOff(connectionCount: Int)
    case failed(FastCGIError)
}

/// A message between the supervisor and one of its workers. On their message socket it is one byte for the kind, then
/// the payload if the kind has one.
///
/// Neither side answers a message. The end of the socket is a message too: a worker that reads it finishes its requests
/// and exits; a supervisor that reads it waits for the worker's exit status.
package enum ControlMessage: Sendable, Hashable {
    case ready
    case drain(milliseconds: UInt32)
    case recycle
    case chainHint([UInt8])

    /// The greatest length of a message in bytes, with the kind. Three certificates of Apple's are about 2.5 KB;
    /// SOCK_SEQPACKET itself takes more.
    package static let byteCountLimit = 65_536

    package var bytes: [UInt8]? {
        let payload = payload
        guard payload.count < Self.byteCountLimit else { return nil }
        return [kind] + payload
    }

    /// Decodes one message. Returns nil when the kind is unknown, when the kind needs a payload and has none, when it
    /// has a payload and needs none, and when the message is over ``byteCountLimit``.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count > 0, bytes.count <= Self.byteCountLimit else { return nil }
        let payload = (1..<bytes.count).map { bytes[$0] }
        switch (bytes[0], payload.isEmpty) {
        case (1, true): self = .ready
        case (2, false):
            guard payload.count == 4 else { return nil }
            self = .drain(milliseconds: payload.reduce(0) { $0 << 8 | UInt32($1) })
        case (3, true): self = .recycle
        case (4, false): self = .chainHint(payload)
        default: return nil
        }
    }

    private var kind: UInt8 {
        switch self {
        case .ready: 1
        case .drain: 2
        case .recycle: 3
        case .chainHint: 4
        }
    }

    private var payload: [UInt8] {
        switch self {
        case .ready, .recycle: []
        case .drain(let milliseconds):
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: milliseconds >> $0) }
        case .chainHint(let payload): payload
        }
    }
}

extension MessageSocket {
    package enum Control: Equatable {
        case message(ControlMessage)
        case unknown
        case nothing
        case closed
    }

    /// Sends one message without waiting. Throws `message.too-long` when the message is over the limit, `system.eagain` when the other
    /// side does not read, `system.epipe` when the other side is gone.
    package borrowing func send(_ message: ControlMessage) throws(SystemCallError) {
        guard let bytes = message.bytes else { throw .messageTooLong }
        try send(bytes.span)
    }

    package borrowing func receiveControl() throws(SystemCallError) -> Control {
        switch try receive(limitBytes: ControlMessage.byteCountLimit) {
        case .nothing: .nothing
        case .closed: .closed
        case .tooLong: .unknown
        case .message(let bytes): ControlMessage(bytes.span).map { .message($0) } ?? .unknown
        }
    }
}
