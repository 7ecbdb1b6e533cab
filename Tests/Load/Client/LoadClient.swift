internal import Synchronization

/// Sends many requests over kept connections and judges every answer. One thread, one epoll(7).
public final class LoadClient: Sendable {
    private let plan: LoadPlan
    private let stopping = Atomic<Bool>(false)
    private let answeredCount = Atomic<Int>(0)

    /// Makes a client. ``run()`` starts it.
    public init(_ plan: LoadPlan) {
        self.plan = plan
    }

    /// The number of requests that were answered so far. Other threads may read it during the run.
    public var answered: Int { answeredCount.load(ordering: .relaxed) }

    /// Ends the run: the client sends no further request, and ``run()`` returns after the answers to the requests under
    /// way.
    public func stop() { stopping.store(true, ordering: .relaxed) }

    /// Runs the plan on this thread.
    public func run() -> LoadReport {
        var run = LoadRun(plan: plan, client: self)
        return run.run()
    }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }
    func countAnswer() { answeredCount.add(1, ordering: .relaxed) }
}
