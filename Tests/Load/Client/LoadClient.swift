internal import Synchronization

/// Sends many requests over kept connections and judges every answer. One thread, one epoll(7).
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
        var run = LoadRun(plan: plan, client: self)
        return run.run()
    }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }
    func countAnswer() { answeredCount.add(1, ordering: .relaxed) }
}
