public import System
internal import Vocabulary

/// The FastCGI server of one thread. It accepts connections, waits on all of them at once for whole requests, and lets
/// a handler answer each request.
///
///     let listener = try ListeningSocket(host: "127.0.0.1", port: 9000, backlog: 511)
///     let server = try FastCGIServer(listener: listener)
///     while true {
///         _ = try server.turn(timeoutMilliseconds: nil) { request in
///             guard case .complete = request.readBody(limitBytes: 65_536) else {
///                 return GatewayResponse(status: 400, contentType: "text/plain", body: [])
///             }
///             return GatewayResponse(status: 200, contentType: "text/plain", body: Array("hello".utf8))
///         }
///     }
///
/// With a ``classifier``, requests wait in a queue: the server takes in whatever arrives, and answers the oldest request
/// first.
///
/// libfcgi blocks its thread for as long as a client takes to send a request, and for as long as a kept connection is
/// idle. So this class does the waiting itself (epoll). It looks at the bytes that have arrived without taking them
/// (``FramingCheck``), and gives libfcgi a connection only when one whole request is there. No setting of the web
/// server and no client can make libfcgi wait. A request that one look does not show whole, or that has padding which
/// libfcgi misreads, is collected in memory and rewritten.
///
/// One thread serves all connections, because libfcgi pins a thread to a kept connection: with threads, nginx's
/// `keepalive` times its workers would decide how many threads are needed, and one too few would stall requests for
/// seconds. Kept connections save 25 microseconds of processor time a request against new ones. The price is the look
/// ahead with MSG_PEEK, about a microsecond. One thread needs no lock, and verifies a chain that two requests have only once.
public final class FastCGIServer {
    /// A descriptor of the caller that the server waits for together with the connections.
    public enum Source: Int, Sendable, CaseIterable {
        /// The socket with the supervisor's messages.
        case control
        /// The descriptor from which signals are read.
        case signals
        /// A ``WakeUp``, by which another thread says that parked requests can be answered.
        case completions
    }

    /// What has happened since the server was made.
    public internal(set) var counts = FastCGICounts()
    /// True when ``drain(handler:)`` was called, so that the server accepts no more connections.
    public private(set) var isDraining = false
    /// The number of open connections.
    public var connectionCount: Int { table.count }

    /// Receives the time that it took to write each answer, in nanoseconds.
    public var sendObserver: ((UInt64) -> Void)?

    let settings: FastCGISettings
    var libfcgi: LibraryRequest
    var table = ConnectionTable()
    var peeked = [UInt8](repeating: 0, count: FastCGILimits.peekByteCount)
    var keptByteCount = 0
    /// The bytes of the large answers that wait for their clients.
    var unsentByteCount = 0
    /// A file in memory for the next collected request or large answer; nil while libfcgi uses the file.
    var scratch: FileDescriptor?
    var wallMilliseconds: Int64 = 0
    var now: UInt64 = 0
    /// The requests that wait for ``answer(_:with:)``.
    var parked = ParkedRequests()
    /// The connections whose answer is delayed, in the order of the requests.
    var delayed: [Connection] = []
    /// The connections on which bytes arrived while their request was parked.
    var unread: [Connection] = []
    /// Objects of libfcgi for the next requests that are parked.
    var spares: [LibraryRequest] = []

    /// Says of each request that has arrived whether it is answered at once or waits for its turn. The arguments are
    /// the bytes of its parameters (``ParameterPairs``) and the time, in milliseconds since 1970. Without a classifier
    /// every request is answered at once.
    public var classifier: ((_ parameters: Span<UInt8>, _ wallMilliseconds: Int64) -> RequestClass)?
    /// The requests that wait for their turn.
    var queue = RequestQueue()

    let listener: ListeningSocket
    var poll: EventPoll
    var isAccepting = true
    private var sweptAt: UInt64 = 0

    private static let listenerToken = UInt64.max
    private static let sweepNanoseconds: UInt64 = 1_000_000_000
    private static let drainSweepNanoseconds: UInt64 = 5_000_000

    /// Starts libfcgi and makes a server for the connections of `listener`.
    ///
    /// - Throws: `fastcgi.libfcgi-refused`, or the code of a system call.
    public init(listener: consuming ListeningSocket, settings: FastCGISettings = FastCGISettings())
        throws(FastCGIError)
    {
        let libfcgi = try LibraryRequest()
        do {
            let poll = try EventPoll(eventCountLimit: 256)
            try poll.add(listener.descriptor.number, token: Self.listenerToken, interest: .connection)
            self.poll = poll
        } catch {
            throw .system(error)
        }
        self.libfcgi = libfcgi
        self.listener = listener
        self.settings = settings
    }

    /// Waits for `descriptorNumber`, too. ``turn(timeoutMilliseconds:handler:)`` returns `source` when it is readable.
    ///
    /// - Throws: the errno of `epoll_ctl`.
    public func watch(_ descriptorNumber: Int32, as source: Source) throws(FastCGIError) {
        try SystemCallError.mapped(
            to: FastCGIError.system,
            try poll.add(descriptorNumber, token: Self.token(of: source), interest: .readable))
    }

    /// Stops waiting for `descriptorNumber`.
    public func unwatch(_ descriptorNumber: Int32) {
        try? poll.remove(descriptorNumber)
    }

    /// Waits once and takes in what has arrived, of new connections one: a burst of them is for all workers. Answers the
    /// requests that need no queue, and those that are refused. Then answers queued requests, the oldest first, until a
    /// slice of time has passed; only one after a new connection, because an older request may wait on the next. While
    /// requests wait for their turn, the next call does not wait.
    ///
    /// - Parameters:
    ///   - timeoutMilliseconds: the longest wait when nothing happens; nil waits for ever.
    ///   - handler: answers one request, or parks it and returns nil (``FastCGIRequest/park()``).
    /// - Returns: the watched sources that are readable.
    /// - Throws: the errno of `epoll_wait`.
    public func turn(timeoutMilliseconds: Int32?, handler: Handler) throws(FastCGIError) -> [Source] {
        let count = try wait(timeoutMilliseconds: timeoutMilliseconds)
        readClocks()
        var sources: [Source] = []
        var hasAccepted = false
        for index in 0..<count {
            let event = poll.event(at: index)
            if event.token == Self.listenerToken {
                hasAccepted = acceptOne(handler)
            } else if let source = Self.source(of: event.token) {
                sources.append(source)
            } else if let connection = table.connection(for: event.token) {
                handle(event, on: connection, handler)
            }
        }
        if !delayed.isEmpty || !unread.isEmpty { sendDueAnswers(handler) }
        answerQueued(handler, onlyOne: hasAccepted)
        let pause = isDraining ? Self.drainSweepNanoseconds : Self.sweepNanoseconds
        if now - sweptAt >= pause { sweep(handler) }
        return sources
    }

    /// Stops accepting connections, answers the requests that have arrived, sends delayed answers at once, and closes
    /// idle connections. A parked or queued request keeps its connection until it is answered. Call
    /// ``turn(timeoutMilliseconds:handler:)`` afterwards until ``connectionCount`` is 0 or the time is over.
    ///
    /// The server first accepts the connections that wait in the queue: the kernel may have woken only this process for
    /// them. No request that has arrived is lost: the server shuts down reading before its last look, so that on a unix
    /// socket a client that sends later gets an error instead of silence.
    public func drain(handler: Handler) {
        guard !isDraining else { return }
        isDraining = true
        readClocks()
        if isAccepting { try? poll.remove(listener.descriptor.number) }
        isAccepting = true
        while acceptOne(handler) {}
        isAccepting = false
        sweep(handler)
    }

    /// Closes all connections. Requests on them get no answer any more.
    public func closeConnections() {
        for connection in table.all { close(connection) }
    }

    private func handle(_ event: EventPoll.Event, on connection: Connection, _ handler: Handler) {
        if event.isPeerGone {
            // Nobody would read the answer. The close of an idle connection by its client also arrives here.
            if connection.parked != nil || connection.waiting != nil {
                counts.abandonedCount += 1
            } else if connection.unsent != nil {
                counts.unsentCount += 1
            } else if case .bytes = connection.peek(into: &peeked) {
                counts.abandonedCount += 1
            }
            close(connection)
        } else if connection.unsent != nil {
            if event.isPeerFinished { connection.isFinished = true }
            sendOn(connection, handler)
        } else {
            lookAgain(connection, handler)
            guard event.isPeerFinished else { return }
            // The answer to a request that waits can still be read.
            if connection.waiting != nil || connection.unsent != nil {
                connection.isFinished = true
            } else if connection.parked == nil {
                close(connection)
            }
        }
    }

    /// Closes connections that are too old and, while the server drains, connections that are idle.
    private func sweep(_ handler: Handler) {
        sweptAt = now
        for connection in table.all where table.contains(connection) && connection.waiting == nil {
            let age = now > connection.since ? (now - connection.since) / 1_000_000 : 0
            if let place = connection.parked {
                if isDraining, place.isDelayed { retire(connection, handler) }
            } else if connection.unsent != nil {
                if age >= settings.sendMilliseconds { giveUpAnswer(on: connection, handler) }
            } else if connection.collected != nil {
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
            // The kernel still has no room. The next sweep tries again.
        }
    }

    /// Waits for events and returns their number.
    private func wait(timeoutMilliseconds: Int32?) throws(FastCGIError) -> Int {
        var timeout = timeoutMilliseconds
        if !queue.isEmpty {
            timeout = 0
        } else if isDraining {
            timeout = min(timeout ?? 5, 5)
        } else if table.count > 0 || !isAccepting {
            timeout = min(timeout ?? 1000, 1000)
        }
        if let due = nextDueMilliseconds { timeout = min(timeout ?? due, due) }
        return try SystemCallError.mapped(
            to: FastCGIError.system, try poll.wait(timeoutMilliseconds: timeout))
    }

    private func readClocks() {
        now = Clock.monotonicNanoseconds()
        wallMilliseconds = Clock.wallMilliseconds()
    }

    private static func token(of source: Source) -> UInt64 {
        listenerToken - 1 - UInt64(source.rawValue)
    }

    /// Returns the source with this token. No connection has such a token, because the number of a descriptor has 31
    /// bits.
    private static func source(of token: UInt64) -> Source? {
        Source(rawValue: Int(clamping: listenerToken - 1 - token))
    }
}
