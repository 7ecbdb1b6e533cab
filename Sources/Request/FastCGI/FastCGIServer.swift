public import System
internal import Vocabulary

/// One thread's FastCGI: accepts connections, waits for whole requests on all of them at once and lets a handler answer.
///
/// libfcgi blocks its thread for as long as a client takes to send a request, and for as long as a kept connection is
/// idle. So this waits itself (epoll), looks at what has arrived without taking it (``FramingCheck``), and hands libfcgi
/// a connection only when one whole request is there. No setting of the web server and no client can make it wait; what
/// no look shows whole, or shows with padding that libfcgi misreads, is collected aside and written anew.
public final class FastCGIServer {
    /// A descriptor of the caller's that is waited for together with the connections.
    public enum Source: Int, Sendable, CaseIterable {
        /// The supervisor's messages.
        case control
        /// Signals.
        case signals
    }

    /// What has happened so far.
    public internal(set) var counts = FastCGICounts()
    /// Whether no new connections are accepted any more.
    public private(set) var isDraining = false
    /// Connections that are open.
    public var connectionCount: Int { table.count }

    let settings: FastCGISettings
    let libfcgi: LibraryRequest
    var table = ConnectionTable()
    var peeked = [UInt8](repeating: 0, count: FastCGILimits.peekByteCount)
    var keptByteCount = 0
    var scratch: FileDescriptor?
    var wallMilliseconds: Int64 = 0
    var now: UInt64 = 0

    private let listener: ListeningSocket
    private var poll: EventPoll
    private var isAccepting = true
    private var sweptAt: UInt64 = 0

    private static let listenerToken = UInt64.max
    private static let sweepNanoseconds: UInt64 = 1_000_000_000
    private static let drainSweepNanoseconds: UInt64 = 5_000_000

    /// Starts libfcgi and waits for connections on `listener` from now on.
    ///
    /// - Throws: `fastcgi.libfcgi-refused`, else the code of a system call.
    public init(
        listener: consuming ListeningSocket,
        settings: FastCGISettings = FastCGISettings()
    ) throws(FastCGIError) {
        let libfcgi = try LibraryRequest()
        do {
            let poll = try EventPoll(eventCountLimit: 64)
            try poll.add(
                listener.descriptor.number,
                token: Self.listenerToken,
                interest: .connection
            )
            self.poll = poll
        } catch {
            throw .system(error)
        }
        self.libfcgi = libfcgi
        self.listener = listener
        self.settings = settings
    }

    /// Waits for `descriptorNumber`, too; ``turn(timeoutMilliseconds:handler:)`` says when it is readable.
    ///
    /// - Throws: the errno of `epoll_ctl`.
    public func watch(_ descriptorNumber: Int32, as source: Source) throws(FastCGIError) {
        try SystemCallError.mapped(
            to: FastCGIError.system,
            try poll.add(descriptorNumber, token: Self.token(of: source), interest: .readable)
        )
    }

    /// Stops waiting for `descriptorNumber`.
    public func unwatch(_ descriptorNumber: Int32) {
        try? poll.remove(descriptorNumber)
    }

    /// Waits once and answers all requests that are whole by then.
    ///
    /// - Parameters:
    ///   - timeoutMilliseconds: how long to wait when nothing happens; nil for ever.
    ///   - handler: answers one request.
    /// - Returns: the watched sources that are readable.
    /// - Throws: the errno of `epoll_wait`.
    public func turn(
        timeoutMilliseconds: Int32?,
        handler: (inout FastCGIRequest) -> GatewayResponse
    ) throws(FastCGIError) -> [Source] {
        let count = try wait(timeoutMilliseconds: timeoutMilliseconds)
        readClocks()
        var sources: [Source] = []
        for index in 0..<count {
            let event = poll.event(at: index)
            if event.token == Self.listenerToken {
                // One at a time leaves connections to idle workers; under load there is less of that to gain.
                for _ in 0..<max(1, min(16, count - 1)) where isAccepting {
                    guard acceptOne(handler) else { break }
                }
            } else if let source = Source.allCases.first(where: { Self.token(of: $0) == event.token }) {
                sources.append(source)
            } else if let connection = table.connection(for: event.token) {
                handle(event, on: connection, handler)
            }
        }
        let pause = isDraining ? Self.drainSweepNanoseconds : Self.sweepNanoseconds
        if now - sweptAt >= pause { sweep(handler) }
        return sources
    }

    /// Accepts no more connections, answers what has arrived, closes what is idle. Call
    /// ``turn(timeoutMilliseconds:handler:)`` until ``connectionCount`` is 0 or the time is over.
    ///
    /// Connections that wait in the queue are taken in first: a waiting connection may have woken this process only.
    /// Nothing that has arrived is lost: reading is shut down before the last look, so that on a unix socket a client
    /// whose request comes later gets an error instead of silence.
    public func drain(handler: (inout FastCGIRequest) -> GatewayResponse) {
        guard !isDraining else { return }
        isDraining = true
        readClocks()
        if isAccepting { try? poll.remove(listener.descriptor.number) }
        isAccepting = true
        while acceptOne(handler) {}
        isAccepting = false
        sweep(handler)
    }

    /// Takes one connection from the queue; false when there is none.
    private func acceptOne(_ handler: (inout FastCGIRequest) -> GatewayResponse) -> Bool {
        switch listener.accept() {
        case .nobody: return false
        case .noRoom:
            if let connection = table.longestIdle {
                counts.evictedCount += 1
                retire(connection, handler)
            } else if !isDraining {
                // Nothing of ours to close: look again at the next sweep instead of at once for ever.
                try? poll.remove(listener.descriptor.number)
                isAccepting = false
            }
            return false
        case .connection(let socket):
            counts.acceptedCount += 1
            let connection = Connection(socket, since: now)
            if answerArrived(on: connection, handler) { keep(connection, handler) }
            return true
        }
    }

    /// Waits for an open connection's next bytes.
    private func keep(_ connection: Connection, _ handler: (inout FastCGIRequest) -> GatewayResponse) {
        if table.count >= settings.connectionCountLimit, let oldest = table.longestIdle {
            counts.evictedCount += 1
            retire(oldest, handler)
        }
        let token = table.insert(connection)
        do {
            try poll.add(connection.number, token: token, interest: [.readable, .edgeTriggered])
        } catch {
            close(connection)
        }
    }

    private func handle(
        _ event: EventPoll.Event,
        on connection: Connection,
        _ handler: (inout FastCGIRequest) -> GatewayResponse
    ) {
        if event.isPeerGone {
            // Nobody would read the answer. An idle connection that the client closes comes this way, too.
            if case .bytes = connection.peek(into: &peeked) { counts.abandonedCount += 1 }
            close(connection)
        } else if !answerArrived(on: connection, handler) {
            // While draining the next request may already have followed the answer.
            if isDraining { retire(connection, handler) } else { close(connection) }
        } else if event.isPeerFinished {
            close(connection)
        }
    }

    /// Gives up what is too old and, while draining, what is idle.
    private func sweep(_ handler: (inout FastCGIRequest) -> GatewayResponse) {
        sweptAt = now
        for connection in table.all {
            let age = now > connection.since ? (now - connection.since) / 1_000_000 : 0
            if connection.isCollecting {
                guard age >= settings.incompleteMilliseconds else { continue }
                counts.expiredCount += 1
                close(connection)
            } else if isDraining {
                let patience =
                    connection.answeredCount > 0 ? settings.lingerMilliseconds : settings.freshMilliseconds
                guard age >= patience else { continue }
                retire(connection, handler)
            } else if age >= settings.idleMilliseconds {
                counts.expiredCount += 1
                retire(connection, handler)
            }
        }
        guard !isAccepting, !isDraining else { return }
        do {
            try poll.add(listener.descriptor.number, token: Self.listenerToken, interest: .connection)
            isAccepting = true
        } catch {
            // Still no room in the kernel: the next sweep tries again.
        }
    }

    private func wait(timeoutMilliseconds: Int32?) throws(FastCGIError) -> Int {
        var timeout = timeoutMilliseconds
        if isDraining {
            timeout = min(timeout ?? 5, 5)
        } else if table.count > 0 || !isAccepting {
            timeout = min(timeout ?? 1000, 1000)
        }
        return try SystemCallError.mapped(
            to: FastCGIError.system,
            try poll.wait(timeoutMilliseconds: timeout)
        )
    }

    private func readClocks() {
        now = Clock.monotonicNanoseconds()
        wallMilliseconds = Clock.wallMilliseconds()
    }

    private static func token(of source: Source) -> UInt64 {
        listenerToken - 1 - UInt64(source.rawValue)
    }
}
