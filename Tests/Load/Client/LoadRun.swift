internal import CLinux
internal import Glibc
internal import System

/// The state of one run of a plan.
struct LoadRun: ~Copyable {
    /// The longest wait for an event, in nanoseconds. Then the loop reads the clock and checks for ``LoadClient/stop()``.
    private static var longestWait: UInt64 { 20_000_000 }

    private let plan: LoadPlan
    private let client: LoadClient
    private let poll = ConnectionPoll()
    private let connections: [Connection]
    private let patience: UInt64
    /// The numbers of the connections that wait for a request. The last one goes first, so that a low rate uses few
    /// connections, which stay warm.
    private var idle: [Int] = []
    private var busyCount = 0
    /// Connections that could not be opened. They take no request until the next look at the deadlines.
    private var resting: [Int] = []
    private var nextLook: UInt64 = 0
    /// The number of requests that connections have taken.
    private var begunCount = 0
    private var start: UInt64 = 0
    private var end: UInt64 = 0
    private var lastAnswer: UInt64 = 0
    /// The different answers so far.
    private var known: [(status: Int, body: [UInt8], count: Int)] = []
    private var report = LoadReport()

    init(plan: LoadPlan, client: LoadClient) {
        self.plan = plan
        self.client = client
        connections = (0..<plan.connections).map { _ in Connection() }
        patience = UInt64(plan.patienceSeconds * 1e9)
    }

    mutating func run() -> LoadReport {
        // The kernel then wakes this thread within a microsecond of the moment when a request is due, instead of within
        // 50. 0 restores the default.
        _ = rt_prctl(PR_SET_TIMERSLACK, 1)
        defer { _ = rt_prctl(PR_SET_TIMERSLACK, 0) }
        openAll()
        start = Clock.monotonicNanoseconds()
        end = start + UInt64(plan.seconds * 1e9)
        lastAnswer = start
        idle = connections.indices.reversed()
        while true {
            sendDue()
            let now = Clock.monotonicNanoseconds()
            lookAtDeadlines(now)
            let due = dueTime(now)
            if due == nil, busyCount == 0 { break }
            var wake = now + Self.longestWait
            if let due, !idle.isEmpty { wake = min(wake, due) }
            handleEvents(waitingAtMost: wake > now ? wake - now : 0)
        }
        return finish()
    }

    private mutating func finish() -> LoadReport {
        if !client.isStopping, plan.ratePerSecond > 0 {
            // Request 0 is due at the start.
            let due = Int((plan.seconds * plan.ratePerSecond).rounded(.up))
            report.unsent = max(0, min(due, plan.requestLimit) - begunCount)
        }
        for connection in connections { connection.close() }
        report.sent = begunCount - report.unopened
        report.seconds = Double(lastAnswer - start) / 1e9
        report.latencies.sort()
        for answer in known {
            let text = String(decoding: answer.body, as: UTF8.self)
            report.answers[LoadAnswer(status: answer.status, body: text), default: 0] += answer.count
        }
        return report
    }

    // MARK: - Opening

    /// Opens all connections before the clock of the run starts. The run opens a connection that fails now again when it
    /// takes a request.
    private mutating func openAll() {
        let deadline = Clock.monotonicNanoseconds() + patience
        for number in connections.indices { open(number) }
        var first = 0
        while first < connections.count {
            if [.ready, .closed].contains(connections[first].phase) {
                first += 1
            } else if client.isStopping || Clock.monotonicNanoseconds() > deadline {
                connections[first].close()
            } else {
                handleEvents(waitingAtMost: Self.longestWait)
            }
        }
    }

    private mutating func open(_ number: Int) {
        let connection = connections[number]
        guard connection.open(port: plan.port, network: plan.network, trust: plan.tls),
            poll.add(connection.descriptor, number: number)
        else {
            connection.close()
            return handle(number, .unopened)
        }
        handle(number, connection.advance())
    }

    // MARK: - Sending

    /// When the next request is due, which may be in the past; nil when the run sends no further request.
    ///
    /// With a rate the moment depends on the number of the request alone: a request that waits for an idle connection is
    /// late, and its latency counts from the moment it was due (no coordinated omission).
    private func dueTime(_ now: UInt64) -> UInt64? {
        guard !client.isStopping, begunCount < plan.requestLimit, now < end else { return nil }
        guard plan.ratePerSecond > 0 else { return now }
        let due = start + UInt64(Double(begunCount) * 1e9 / plan.ratePerSecond)
        return due < end ? due : nil
    }

    private mutating func sendDue() {
        while !idle.isEmpty {
            let now = Clock.monotonicNanoseconds()
            guard let due = dueTime(now), due <= now else { return }
            begin(idle.removeLast(), due, now)
        }
    }

    private mutating func begin(_ number: Int, _ due: UInt64, _ now: UInt64) {
        let connection = connections[number]
        let request = begunCount
        begunCount += 1
        busyCount += 1
        let bytes = plan.requests[(plan.firstRequest + request) % plan.requests.count]
        if let patch = plan.patch {
            connection.begin(bytes, dueTime: due, deadline: now + patience) { patch(request, &$0) }
        } else {
            connection.begin(bytes, dueTime: due, deadline: now + patience)
        }
        if connection.phase == .closed { open(number) } else { connection.send() }
    }

    // MARK: - Receiving

    private mutating func handleEvents(waitingAtMost nanoseconds: UInt64) {
        for event in 0..<poll.wait(nanoseconds: nanoseconds) {
            let number = poll.number(ofEvent: event)
            handle(number, connections[number].advance())
        }
    }

    private mutating func handle(_ number: Int, _ progress: Connection.Progress) {
        let connection = connections[number]
        if case .unopened = progress { report.openingFailure = connection.openingFailure }
        switch progress {
        case .waiting: return
        case .answered:
            count(connection)
            busyCount -= 1
            idle.append(number)
        case .broken where !connection.isBusy:
            report.broken += 1
            connection.close()
        case .unopened where !connection.isBusy, .lost where !connection.isBusy: connection.close()
        case .unopened:
            report.unopened += 1
            giveUp(number, rests: true)
        case .broken:
            report.broken += 1
            giveUp(number)
        case .lost:
            report.lost += 1
            giveUp(number)
        }
    }

    private mutating func giveUp(_ number: Int, rests: Bool = false) {
        connections[number].giveUp()
        busyCount -= 1
        if rests { resting.append(number) } else { idle.append(number) }
    }

    private mutating func count(_ connection: Connection) {
        lastAnswer = Clock.monotonicNanoseconds()
        client.countAnswer()
        report.answered += 1
        report.latencies.append(UInt32(clamping: (lastAnswer - connection.dueTime) / 1000))
        if let judge = plan.judge {
            let (status, time) = (connection.status, lastAnswer)
            if connection.withBody({ judge(status, $0, time) }) { report.good += 1 }
            return
        }
        if connection.status == 200 { report.good += 1 }
        for position in known.indices
        where known[position].status == connection.status && connection.hasBody(known[position].body) {
            known[position].count += 1
            return
        }
        known.append((connection.status, connection.body, 1))
    }

    /// From time to time: gives up the requests that took longer than the plan's patience, and makes resting connections
    /// idle again.
    private mutating func lookAtDeadlines(_ now: UInt64) {
        guard now >= nextLook else { return }
        nextLook = now + Self.longestWait
        idle += resting
        resting.removeAll()
        for number in connections.indices
        where connections[number].isBusy && now > connections[number].deadline {
            report.stalled += 1
            giveUp(number)
        }
    }
}

/// Waits for events on many connections at once (epoll(7)). A connection without traffic takes no processor time.
///
/// The kernel reports each change once (EPOLLET), so the caller has to read and write until the socket blocks. A closed
/// socket leaves the poll by itself. An event may be about an older socket of the same connection; the caller then finds
/// nothing to read.
@safe struct ConnectionPoll: ~Copyable {
    private static var eventCountLimit: Int { 256 }
    private let descriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    init() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "epoll_create1: errno \(errno)")
        unsafe events = .allocate(capacity: Self.eventCountLimit)
    }

    deinit {
        unsafe events.deallocate()
        _ = Glibc.close(descriptor)
    }

    /// Adds a socket under the number of its connection. Returns false when the kernel has no memory for it.
    func add(_ socket: Int32, number: Int) -> Bool {
        let bits = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        var event = unsafe epoll_event(events: bits, data: epoll_data_t(u64: UInt64(number)))
        return unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0
    }

    /// Waits for an event, at most so many nanoseconds. Returns the number of events.
    func wait(nanoseconds: UInt64) -> Int {
        var timeout = timespec()
        timeout.tv_sec = time_t(nanoseconds / 1_000_000_000)
        timeout.tv_nsec = Int(nanoseconds % 1_000_000_000)
        let count = unsafe epoll_pwait2(descriptor, events, Int32(Self.eventCountLimit), &timeout, nil)
        precondition(count >= 0 || errno == EINTR, "epoll_pwait2: errno \(errno)")
        return max(0, Int(count))
    }

    /// The number of the connection that an event of the last wait is about.
    func number(ofEvent index: Int) -> Int { Int(unsafe events[index].data.u64) }
}
