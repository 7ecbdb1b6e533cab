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
                close(connection)
            } else if isDraining {
                let patience =
                    connection.answeredCount > 0 ? settings.lingerMilliseconds : settings.freshMilliseconds
                guard age >= patience else { continue }
                retire(connection, handler)
            } else if age >= settings.idleMilliseconds {
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

extension FastCGIServer {
    public typealias Handler = (inout FastCGIRequest) -> GatewayResponse?

    /// Takes in a request that lies in the socket whole and without padding: answers it, or queues it. For any other
    /// request, starts or continues to collect its bytes. Returns true when the connection stays open.
    func answerArrived(on connection: Connection, _ handler: Handler) -> Bool {
        if connection.parked != nil { return true }
        if connection.waiting != nil || connection.unsent != nil {
            connection.hasUnseenBytes = true
            return true
        }
        if connection.collected != nil { return collect(on: connection, handler) }
        switch connection.peek(into: &peeked) {
        case .end: return false
        case .nothing: return true
        case .bytes(let count):
            var check = FramingCheck(bodyByteCountLimit: settings.readByteCount)
            switch check.consume(peeked.span.extracting(first: count)) {
            case .complete:
                // Bytes that arrive after this look may come into libfcgi's buffer together with the last bytes of the
                // request. libfcgi stops parsing at the end of the body, which it always reads, and frees the buffer
                // with the request. So nothing parses these bytes, and a client that does not wait for its answer loses
                // them. Bytes of them that are still in the socket are checked like the beginning of any request. A
                // connection never has two clients.
                let arrived = FastCGIRequest.Arrived(bodyByteCount: check.bodyByteCount, isBodyKept: true)
                let admission = admission(of: peeked.span.extracting(first: count))
                return take(arrived, check.keepsConnection, admission, on: connection, handler)
            case .incomplete, .padded:
                connection.startCollecting(at: now, settings)
                return collect(on: connection, handler)
            case .refused:
                counts.refusedCount += 1
                return false
            }
        }
    }

    /// Answers the request that has arrived, and closes the connection. A parked or
    /// queued request keeps its connection until it is answered, and an answer until the client has taken it.
    func retire(_ connection: Connection, _ handler: Handler) {
        connection.shutDownReading()
        _ = answerArrived(on: connection, handler)
        if connection.unsent != nil { connection.isFinished = true }
        if !connection.isAwaited { close(connection) }
    }

    func lookAgain(_ connection: Connection, _ handler: Handler) {
        guard !answerArrived(on: connection, handler) else { return }
        // While the server drains, the next request may already have arrived after the answer.
        if isDraining { retire(connection, handler) } else { close(connection) }
    }

    func close(_ connection: Connection) {
        // The bytes before the end of a connection can have closed it.
        guard table.contains(connection) else { return }
        forgetParked(on: connection)
        forgetWaiting(on: connection)
        forgetUnsent(on: connection)
        keptByteCount -= connection.keptByteCount
        table.remove(connection)
    }

    /// Takes all bytes that have arrived of a request that is being collected, and answers or queues the request when it is
    /// whole. Returns true when the connection stays open.
    private func collect(on connection: Connection, _ handler: Handler) -> Bool {
        while true {
            switch connection.receive(into: &peeked) {
            case .nothing: return true
            case .end:
                counts.abandonedCount += 1
                return false
            case .bytes(let count):
                let before = connection.keptByteCount
                guard let verdict = connection.collected?.consume(peeked.span.extracting(first: count))
                else { return false }
                keptByteCount += connection.keptByteCount - before
                switch verdict {
                case .incomplete:
                    guard keptByteCount <= settings.keptByteCountInAll else {
                        counts.crowdedOutCount += 1
                        return false
                    }
                case .complete, .padded:
                    guard let check = connection.collected, let plain = check.plain else { return false }
                    let arrived = FastCGIRequest.Arrived(
                        bodyByteCount: check.bodyByteCount, isBodyKept: !plain.isCut)
                    let admission = admission(of: plain.bytes.span)
                    return take(arrived, check.keepsConnection, admission, on: connection, handler)
                case .refused:
                    counts.refusedCount += 1
                    return false
                }
            }
        }
    }

    /// Lets libfcgi read a whole request: from the socket, or from a file in memory with its rewritten bytes. The handler
    /// answers it, and libfcgi writes the answer to the connection, now or later. Returns true when the connection stays
    /// open: it can take another request, or its answer is sent later.
    func answer(
        _ waiting: WaitingRequest, refusing isOverloaded: Bool = false, on connection: Connection,
        _ handler: Handler
    ) -> Bool {
        // While libfcgi reads from the file, it is not in `scratch`: the handler may send a large answer to a parked
        // request.
        var file: FileDescriptor?
        var number = connection.number
        if let plain = connection.collected?.plain {
            do throws(SystemCallError) {
                let filled = try ScratchFile.make(plain.bytes.span, reusing: scratch.take())
                number = filled.number
                file = consume filled
            } catch {
                // The kernel has no room.
                return false
            }
            keptByteCount -= connection.keptByteCount
            connection.collected = nil
        }
        do {
            try libfcgi.begin(reading: number)
        } catch {
            // libfcgi has closed the descriptor that it was given.
            if let file = file.take() { _ = file.release() } else { connection.forgetDescriptor() }
            counts.refusedCount += 1
            connection.finishRequest(at: now)
            return false
        }
        var request = FastCGIRequest(
            libfcgi: libfcgi, arrived: waiting.arrived,
            ticket: ticket(bodyByteCount: waiting.arrived.bodyByteCount), isOverloaded: isOverloaded,
            wallMilliseconds: waiting.wallMilliseconds, monotonicNanoseconds: waiting.monotonicNanoseconds)
        let response = handler(&request)
        if let file = file.take() {
            scratch = consume file
        } else if !request.isBodyRead {
            libfcgi.discardBody()
        }
        guard let response else {
            guard let ticket = request.parked else {
                preconditionFailure("a handler that returns no answer has to park the request")
            }
            park(ticket, waiting, on: connection)
            return true
        }
        let isSent = send(response, with: libfcgi, on: connection, keepsConnection: waiting.keepsConnection)
        connection.finishRequest(at: now)
        if connection.unsent != nil { return true }
        return isSent && waiting.keepsConnection && !isDraining
    }
}
