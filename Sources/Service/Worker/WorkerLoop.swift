public import Control
public import FastCGI
public import Logging
public import System

/// The life of a worker: ready, serving, draining, gone. One thread waits for all events at once.
///
///     var loop = try WorkerLoop(
///         listener: listener, control: control, signals: signals, settings: WorkerSettings(), logger: logger)
///     let outcome = loop.run(handler)
///
/// The worker leaves when the supervisor tells it to, when the supervisor is gone, and on QUIT, TERM and INT. Without a
/// supervisor it also leaves on HUP and after its number of requests: the program that started it starts the next
/// worker.
public struct WorkerLoop: ~Copyable {
    private let server: FastCGIServer
    private let control: ControlSocket?
    private let signals: SignalDescriptor
    private let settings: WorkerSettings
    private let logger: Logger
    private var leavesAt: UInt64?
    private var hasAskedForReplacement = false
    /// True when the supervisor is gone and the TERM that the kernel sends for that has not come yet.
    private var awaitsDeathSignal = false
    /// The number of the control socket's descriptor while the socket is open.
    private var controlNumber: Int32?
    private var isControlOpen: Bool { controlNumber != nil }

    /// Creates a worker that accepts connections from now on, and answers them once ``run(_:)`` is called.
    ///
    /// - Parameters:
    ///   - listener: the socket that requests come from.
    ///   - control: the control socket to the supervisor; nil for a worker that another program started.
    ///   - signals: QUIT, TERM, INT, HUP and USR1. Every other signal must be blocked too, because libfcgi loses a
    ///     request to any interruption.
    ///   - settings: limits and times.
    ///   - logger: receives `ready`, `draining` and `drained`.
    /// - Throws: `fastcgi.libfcgi-refused`, else the code of a system call.
    public init(
        listener: consuming ListeningSocket, control: consuming ControlSocket?,
        signals: consuming SignalDescriptor, settings: WorkerSettings, logger: Logger
    ) throws(FastCGIError) {
        let server = try FastCGIServer(listener: listener, settings: settings.fastCGI)
        try server.watch(signals.descriptor.number, as: .signals)
        let controlNumber = control?.descriptorNumber
        if let controlNumber { try server.watch(controlNumber, as: .control) }
        self.server = server
        self.control = control
        self.signals = signals
        self.settings = settings
        self.logger = logger
        self.controlNumber = controlNumber
    }

    /// True when the worker has begun to leave.
    var isLeaving: Bool { leavesAt != nil }

    /// The counts of connections and requests so far.
    public var counts: FastCGICounts { server.counts }

    /// Says ready, serves until the worker is told to leave, and leaves. Returns the reason why the loop ended.
    public mutating func run(_ handler: some WorkerHandler) -> WorkerOutcome {
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

    /// Handles the messages of the supervisor that are waiting.
    mutating func readControl(_ handler: some WorkerHandler) {
        while isControlOpen {
            // An error of the socket counts as its end: no message of the supervisor can arrive any more.
            switch (try? control?.receive()) ?? .closed {
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

    /// Handles one signal.
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
        guard let limit = settings.requestCountLimit, server.counts.answeredCount >= limit else { return }
        guard leavesAt == nil, !hasAskedForReplacement else { return }
        if isControlOpen {
            hasAskedForReplacement = send(.recycle)
        } else {
            leave(handler, within: settings.replacementMilliseconds, why: "requests")
        }
    }

    /// Sends a message if that is possible at once, and returns true when it was sent. A message that cannot be sent is
    /// not worth waiting for: a hint is only a hint, and the request for a replacement is repeated.
    @discardableResult
    private borrowing func send(_ message: ControlMessage) -> Bool {
        do {
            try control?.send(message)
            return true
        } catch {
            return false
        }
    }

    private mutating func endControl() {
        if let number = controlNumber { server.unwatch(number) }
        controlNumber = nil
    }
}
