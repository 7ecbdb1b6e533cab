internal import Glibc
internal import Synchronization
internal import System

/// Sends many requests over kept plain connections and judges every answer. One thread, one poll(2).
public final class LoadClient: Sendable {
    private let plan: LoadPlan
    private let stopping = Atomic<Bool>(false)
    private let answeredCount = Atomic<Int>(0)

    /// A client that has not begun.
    public init(_ plan: LoadPlan) {
        self.plan = plan
    }

    /// Requests that were answered so far; readable while it runs.
    public var answered: Int { answeredCount.load(ordering: .relaxed) }

    /// Sends nothing more; ``run()`` returns when what is under way is answered.
    public func stop() { stopping.store(true, ordering: .relaxed) }

    /// Runs the plan on this thread.
    public func run() -> LoadReport {
        var run = Run(plan: plan, client: self)
        return run.loop()
    }

    /// Runs the plan on a thread of its own.
    public func start() throws -> JoinableThread<LoadReport> {
        try JoinableThread { self.run() }
    }

    fileprivate var isStopping: Bool { stopping.load(ordering: .relaxed) }
    fileprivate func countAnswer() { answeredCount.add(1, ordering: .relaxed) }
}

/// The state of one run.
private struct Run {
    let plan: LoadPlan
    let client: LoadClient
    var connections: [LoadConnection]
    var report = LoadReport()
    var known: [(frame: AnswerFrame, raw: [UInt8], count: Int)] = []
    var start = Clock.monotonicNanoseconds()
    var lastAnswer: UInt64 = 0

    init(plan: LoadPlan, client: LoadClient) {
        self.plan = plan
        self.client = client
        connections = (0..<plan.connections).map { _ in LoadConnection() }
    }

    mutating func loop() -> LoadReport {
        var list = [pollfd](repeating: pollfd(fd: -1, events: 0, revents: 0), count: connections.count)
        start = Clock.monotonicNanoseconds()
        lastAnswer = start
        while true {
            sendDue()
            var busyCount = 0
            for index in connections.indices {
                let isBusy = connections[index].isBusy
                if isBusy { busyCount += 1 }
                list[index].fd = isBusy ? connections[index].descriptor : -1
                list[index].events = Int16(connections[index].wantsToSend ? POLLIN | POLLOUT : POLLIN)
                list[index].revents = 0
            }
            if busyCount == 0, isOver { break }
            let timeout = pauseMilliseconds(isIdle: busyCount < connections.count)
            let ready = unsafe poll(&list, nfds_t(list.count), timeout)
            if ready > 0 {
                for index in connections.indices where list[index].revents != 0 { progress(index) }
            }
            giveUpStalled()
        }
        for index in connections.indices { connections[index].close() }
        report.seconds = Double(lastAnswer - start) / 1e9
        for answer in known {
            let text = String(decoding: answer.frame.body(of: answer.raw), as: UTF8.self)
            report.answers[LoadAnswer(status: answer.frame.status, body: text), default: 0] += answer.count
        }
        return report
    }

    private var isOver: Bool {
        client.isStopping || report.sent + report.unopened >= plan.requestLimit
            || Double(Clock.monotonicNanoseconds() - start) / 1e9 >= plan.seconds
    }

    /// When the next request is due, in monotonic nanoseconds.
    private func dueTime(_ now: UInt64) -> UInt64 {
        plan.ratePerSecond > 0 ? start + UInt64(Double(report.sent) * 1e9 / plan.ratePerSecond) : now
    }

    private func pauseMilliseconds(isIdle: Bool) -> Int32 {
        guard plan.ratePerSecond > 0, isIdle else { return 20 }
        let now = Clock.monotonicNanoseconds()
        let due = dueTime(now)
        return due <= now ? 0 : Int32(clamping: min(20, (due - now) / 1_000_000))
    }

    private mutating func sendDue() {
        for index in connections.indices where !connections[index].isBusy {
            let now = Clock.monotonicNanoseconds()
            let due = dueTime(now)
            if due > now || isOver { return }
            if !connections[index].isOpen, !connections[index].open(port: plan.port) {
                report.unopened += 1
                continue
            }
            let number = report.sent
            report.sent += 1
            connections[index].start(
                plan.requests[number % plan.requests.count],
                dueTime: due,
                deadline: now + UInt64(plan.patienceSeconds * 1e9)
            ) { bytes in plan.patch?(number, &bytes) }
            if !connections[index].send() { lose(index) }
        }
    }

    private mutating func progress(_ index: Int) {
        guard connections[index].send() else { return lose(index) }
        switch connections[index].receive() {
        case .waiting: break
        case .ended: lose(index)
        case .complete(let status): count(index, status)
        }
    }

    private mutating func count(_ index: Int, _ status: Int) {
        let now = Clock.monotonicNanoseconds()
        lastAnswer = now
        client.countAnswer()
        report.latencies.append(UInt32(clamping: (now - connections[index].dueTime) / 1000))
        for position in known.indices
        where known[position].frame.status == status && connections[index].hasBody(known[position].raw) {
            known[position].count += 1
            return
        }
        if let frame = connections[index].frame { known.append((frame, connections[index].rawBody, 1)) }
    }

    private mutating func lose(_ index: Int) {
        report.lost += 1
        connections[index].close()
    }

    private mutating func giveUpStalled() {
        let now = Clock.monotonicNanoseconds()
        for index in connections.indices where connections[index].isBusy && now > connections[index].deadline
        {
            report.stalled += 1
            connections[index].close()
        }
    }
}
