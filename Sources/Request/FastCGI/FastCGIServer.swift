public import System

/// The FastCGI server of one thread. It accepts connections, waits on all of them at once for whole requests, and lets a
/// handler answer each request. With a ``classifier``, requests wait in a queue, and the oldest is answered first.
///
/// libfcgi blocks its thread for as long as a client takes to send a request, and for as long as a kept connection is idle.
/// So this class does the waiting itself (epoll). It looks at the bytes that have arrived without taking them
/// (``FramingCheck``), and gives libfcgi a connection only when one whole request is there. A request that one look does not
/// show whole, or that has padding which libfcgi misreads, is collected in memory and rewritten.
///
/// One thread serves all connections: with threads, nginx's `keepalive` times its workers would decide how many threads are
/// needed, and one too few would stall requests for seconds.
public final class FastCGIServer {
    public enum Source: Int, Sendable, CaseIterable {
        case control
        case signals
        /// A ``WakeUp``, by which another thread says that parked requests can be answered.
        case completions
    }

    public internal(set) var counts = FastCGICounts()
    public private(set) var isDraining = false
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
    var parked = ParkedRequests()
    /// The connections on which bytes arrived while their request was parked.
    var unread: [Connection] = []

    /// Says of each request that has arrived whether it is answered at once or waits for its turn. The arguments are
    /// the bytes of its parameters (``ParameterPairs``) and the time, in milliseconds since 1970. Without a classifier
    /// every request is answered at once.
    public var classifier: ((_ parameters: Span<UInt8>, _ wallMilliseconds: Int64) -> RequestClass)?
    var queue = RequestQueue()
    let listener: ListeningSocket
    var poll: EventPoll
    var isAccepting = true
    private var sweptAt: UInt64 = 0

    static let listenerToken = UInt64.max
    private static let sweepNanoseconds: UInt64 = 1_000_000_000
    private static let drainSweepNanoseconds: UInt64 = 5_000_000

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

    public func watch(_ descriptorNumber: Int32, as source: Source) throws(FastCGIError) {
        try SystemCallError.mapped(
            to: FastCGIError.system,
            try poll.add(descriptorNumber, token: Self.token(of: source), interest: .readable))
    }

    public func unwatch(_ descriptorNumber: Int32) {
        try? poll.remove(descriptorNumber)
    }

    /// Waits once and takes in what has arrived, of new connections one: a burst of them is for all workers. Answers the
    /// requests that need no queue, and those that are refused. Then answers queued requests, the oldest first, until a
    /// slice of time has passed; only one after a new connection, because an older request may wait on the next. While
    /// requests wait for their turn, the next call does not wait. Returns the watched sources that are readable. Throws the
    /// errno of `epoll_wait`.
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
        if !unread.isEmpty { readUnread(handler) }
        answerQueued(handler, onlyOne: hasAccepted)
        if hasAccepted { waitBehindOthers() }
        let pause = isDraining ? Self.drainSweepNanoseconds : Self.sweepNanoseconds
        if now - sweptAt >= pause { sweep(handler) }
        return sources
    }

    /// Stops accepting connections, answers the requests that have arrived, and closes idle connections. Call
    /// ``turn(timeoutMilliseconds:handler:)`` afterwards until ``connectionCount`` is 0 or the time is over. It first
    /// accepts the connections that wait in the queue, because the kernel may have woken only this process for them, and it
    /// shuts down reading before its last look, so that no request is lost in silence.
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

    private func sweep(_ handler: Handler) {
        sweptAt = now
        for connection in table.all
        where table.contains(connection) && connection.waiting == nil && connection.parked == nil {
            let age = now > connection.since ? (now - connection.since) / 1_000_000 : 0
            if connection.unsent != nil {
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
        if !isAccepting, !isDraining { waitForConnections() }
    }

    private func wait(timeoutMilliseconds: Int32?) throws(FastCGIError) -> Int {
        var timeout = timeoutMilliseconds
        if queue.count > 0 || !unread.isEmpty {
            timeout = 0
        } else if isDraining {
            timeout = min(timeout ?? 5, 5)
        } else if table.count > 0 || !isAccepting {
            timeout = min(timeout ?? 1000, 1000)
        }
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

    /// Returns the source with this token. No connection has such a token, because the number of a descriptor has 31 bits.
    private static func source(of token: UInt64) -> Source? {
        Source(rawValue: Int(clamping: listenerToken - 1 - token))
    }
}

extension FastCGIServer {
    func acceptOne(_ handler: Handler) -> Bool {
        switch listener.accept() {
        case .nobody: return false
        case .noRoom:
            if let connection = table.longestIdle {
                counts.evictedCount += 1
                retire(connection, handler)
            } else if !isDraining {
                // The server has no connection to close. The next sweep tries to accept again; trying at once would loop.
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

    /// Waits for new connections behind the other workers. The kernel wakes the first worker that waits, and the order
    /// never changes by itself: one worker would get all connections while it is idle, and nginx keeps them for minutes.
    func waitBehindOthers() {
        guard isAccepting else { return }
        try? poll.remove(listener.descriptor.number)
        waitForConnections()
    }

    func waitForConnections() {
        do {
            try poll.add(listener.descriptor.number, token: Self.listenerToken, interest: .connection)
            isAccepting = true
        } catch {
            // The kernel has no room. The next sweep tries again.
            isAccepting = false
        }
    }

    private func keep(_ connection: Connection, _ handler: Handler) {
        if table.count >= settings.connectionCountLimit, let oldest = table.longestIdle {
            counts.evictedCount += 1
            retire(oldest, handler)
        }
        table.insert(connection)
        // The poll would report the bytes of a waiting request once more. It gets the connection when these are read.
        if connection.waiting == nil { poll(connection) }
    }

    /// Waits for the next bytes of a connection. The poll also reports bytes that have arrived before.
    func poll(_ connection: Connection) {
        do {
            try poll.add(connection.number, token: connection.token, interest: connection.interest)
            connection.isPolled = true
        } catch {
            close(connection)
        }
    }
}

extension FastCGIServer {
    enum Admission {
        case now
        /// The handler refuses the request now, because as many requests wait as the server takes.
        case refused
        case queued(received: Int64)
    }

    func admission(of request: Span<UInt8>) -> Admission {
        guard let classifier else { return .now }
        var received: Int64?
        if let place = ParameterPairs.place(in: request) {
            switch classifier(request.extracting(place), wallMilliseconds) {
            case .prompt: return .now
            case .queued(let time): received = time
            }
        }
        guard queue.count < settings.queueLimit else { return .refused }
        return .queued(received: received ?? wallMilliseconds)
    }

    func take(
        _ arrived: FastCGIRequest.Arrived, _ keepsConnection: Bool, _ admission: Admission,
        on connection: Connection, _ handler: Handler
    ) -> Bool {
        let waiting = WaitingRequest(
            arrived: arrived, keepsConnection: keepsConnection, wallMilliseconds: wallMilliseconds,
            monotonicNanoseconds: now)
        switch admission {
        case .now: return answer(waiting, on: connection, handler)
        case .refused: return answer(waiting, refusing: true, on: connection, handler)
        case .queued(let received):
            connection.waiting = waiting
            queue.insert(connection, received: received)
            return true
        }
    }

    /// Answers the oldest queued request, and unless `onlyOne` the next ones, until the slice of time is over.
    func answerQueued(_ handler: Handler, onlyOne: Bool) {
        defer { counts.waitingCount = queue.count }
        guard queue.count > 0 else { return }
        // Taking in what has arrived, and refusing some of it, has taken time as well.
        now = Clock.monotonicNanoseconds()
        let begun = now
        repeat {
            guard let connection = queue.removeFirst() else { return }
            answerWaiting(on: connection, handler)
            now = Clock.monotonicNanoseconds()
        } while !onlyOne && now - begun < settings.sliceNanoseconds
    }

    private func answerWaiting(on connection: Connection, _ handler: Handler) {
        guard let waiting = connection.waiting.take() else { return }
        let isOpen = answer(waiting, on: connection, handler)
        if connection.isFinished {
            if !connection.isAwaited { close(connection) }
        } else if !isOpen {
            // While the server drains, the next request may already have arrived after the answer.
            if isDraining { retire(connection, handler) } else { close(connection) }
        } else if !connection.isPolled {
            poll(connection)
        } else if connection.hasUnseenBytes {
            connection.hasUnseenBytes = false
            lookAgain(connection, handler)
        }
    }

    func forgetWaiting(on connection: Connection) {
        guard connection.waiting.take() != nil else { return }
        queue.forget(connection)
    }
}
