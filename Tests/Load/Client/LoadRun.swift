internal import CLinux
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
    private var schedule: LoadSchedule
    private var idle: IdleConnections
    private var busy: BusyConnections
    /// Connections that could not be opened. They take no request until `restEnd`.
    private var resting: [Int] = []
    private var restEnd: UInt64 = 0
    /// The number of requests that connections have taken.
    private var begunCount = 0
    private var startTime: UInt64 = 0
    private var lastAnswer: UInt64 = 0
    private var nextTimer = UInt64.max
    /// The different answers so far.
    private var known: [(status: Int, body: [UInt8], count: Int)] = []
    private var report = LoadReport()

    init(plan: LoadPlan, client: LoadClient) {
        self.plan = plan
        self.client = client
        connections = (0..<plan.connections).map { _ in Connection() }
        patience = UInt64(plan.patienceSeconds * 1e9)
        schedule = LoadSchedule(plan, start: 0)
        idle = IdleConnections(limit: plan.connections)
        busy = BusyConnections(limit: plan.connections)
    }

    mutating func run() -> LoadReport {
        // The kernel then wakes this thread within a microsecond of the moment when a request is due, instead of within
        // 50. 0 restores the default.
        _ = rt_prctl(PR_SET_TIMERSLACK, 1)
        defer { _ = rt_prctl(PR_SET_TIMERSLACK, 0) }
        openAll()
        let start = Clock.monotonicNanoseconds()
        schedule = LoadSchedule(plan, start: start)
        (startTime, lastAnswer) = (start, start)
        if let timer = plan.timer { nextTimer = start + UInt64(timer.firstSeconds * 1e9) }
        for number in connections.indices { idle.insert(number) }
        while true {
            sendDue()
            let now = Clock.monotonicNanoseconds()
            giveUpLate(now)
            callTimer(now)
            let due = dueTime(now)
            if due == nil, busy.first == nil { break }
            handleEvents(waitingAtMost: pause(until: due, now))
        }
        let end = Clock.monotonicNanoseconds()
        if !client.isStopping { report.unsent = schedule.unsentCount(begun: begunCount, now: end) }
        return finish(start: start)
    }

    private mutating func finish(start: UInt64) -> LoadReport {
        for connection in connections {
            report.opened += connection.openCount
            connection.close()
        }
        report.sent = begunCount - report.unopened
        report.seconds = Double(lastAnswer - start) / 1e9
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
        guard connection.open(port: plan.port, trust: plan.tls),
            poll.add(connection.descriptor, number: number)
        else {
            connection.close()
            return handle(number, .unopened)
        }
        handle(number, connection.advance())
    }

    // MARK: - Sending

    /// Returns when the next request is due; nil when the run sends no further request.
    private func dueTime(_ now: UInt64) -> UInt64? {
        client.isStopping ? nil : schedule.dueTime(ofRequest: begunCount, now: now)
    }

    private mutating func sendDue() {
        while !idle.isEmpty {
            let now = Clock.monotonicNanoseconds()
            guard let due = dueTime(now), due <= now, let number = idle.removeFirst() else { return }
            begin(number, due, now)
        }
    }

    private mutating func begin(_ number: Int, _ due: UInt64, _ now: UInt64) {
        let connection = connections[number]
        let request = begunCount
        begunCount += 1
        busy.append(number)
        let index = (plan.firstRequest + request) % plan.requests.count
        let bytes = plan.requests[index]
        if let patch = plan.patch {
            connection.begin(bytes, dueTime: due, deadline: now + patience) { patch(request, &$0) }
        } else {
            connection.begin(bytes, dueTime: due, deadline: now + patience)
        }
        connection.requestIndex = index
        if connection.phase == .closed { open(number) } else { connection.send() }
    }

    private func pause(until due: UInt64?, _ now: UInt64) -> UInt64 {
        var wake = now + Self.longestWait
        if let due {
            wake = min(wake, nextTimer)
            if !idle.isEmpty { wake = min(wake, due) }
        }
        return wake > now ? wake - now : 0
    }

    private mutating func callTimer(_ now: UInt64) {
        guard let timer = plan.timer, now >= nextTimer, dueTime(now) != nil else { return }
        timer.action()
        nextTimer = timer.everySeconds > 0 ? nextTimer + UInt64(timer.everySeconds * 1e9) : UInt64.max
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
        switch progress {
        case .waiting: return
        case .answered:
            count(connection)
            if connection.hasExcess { report.excess += 1 }
            if connection.isClosedBehindAnswer { report.closedIdle += 1 }
            busy.remove(number)
            idle.insert(number)
            return
        case .unopened: report.openingFailure = connection.openingFailure
        case .lost, .broken: break
        }
        guard connection.isBusy else {
            switch progress {
            case .lost: report.closedIdle += 1
            case .broken: report.excess += 1
            default: break
            }
            return connection.close()
        }
        switch progress {
        case .unopened: report.unopened += 1
        case .broken: report.broken += 1
        default: report.lost += 1
        }
        giveUp(number, rests: progress == .unopened)
    }

    private mutating func giveUp(_ number: Int, rests: Bool) {
        connections[number].giveUp()
        busy.remove(number)
        if rests {
            resting.append(number)
            restEnd = Clock.monotonicNanoseconds() + Self.longestWait
        } else {
            idle.insert(number)
        }
    }

    private mutating func count(_ connection: Connection) {
        let now = Clock.monotonicNanoseconds()
        lastAnswer = now
        client.countAnswer()
        if connection.answerCount > 1 { report.reused += 1 }
        let arrival = LoadArrival(
            status: connection.status, request: connection.requestIndex, startTime: startTime,
            dueTime: connection.dueTime, time: now)
        guard let judge = plan.judge else {
            report.count(status: arrival.status, isGood: arrival.status == 200)
            report.latencies.record(nanoseconds: arrival.latencyNanoseconds)
            return remember(connection)
        }
        let isGood = connection.withBody { judge(arrival, $0) }
        report.count(status: arrival.status, isGood: isGood)
        if isGood { report.latencies.record(nanoseconds: arrival.latencyNanoseconds) }
    }

    private mutating func remember(_ connection: Connection) {
        for position in known.indices
        where known[position].status == connection.status && connection.hasBody(known[position].body) {
            known[position].count += 1
            return
        }
        known.append((connection.status, connection.body, 1))
    }

    /// Gives up the requests that took longer than the plan's patience, and makes resting connections idle again when
    /// their time is over.
    private mutating func giveUpLate(_ now: UInt64) {
        while let number = busy.first, now > connections[number].deadline {
            report.stalled += 1
            giveUp(number, rests: false)
        }
        guard !resting.isEmpty, now >= restEnd else { return }
        for number in resting { idle.insert(number) }
        resting.removeAll(keepingCapacity: true)
    }
}
