/// Finds workers whose loop does not turn. Each worker notes the time of its turns in the shared counters; the
/// supervisor looks at these times again and again.
///
/// The watch adds up only the time between looks, and of each pause at most the regular one. So nothing is held against
/// a worker when the supervisor itself, or the whole machine, was stopped for a while.
struct WorkerWatch: Sendable {
    private struct Worker {
        /// 0 until the worker has turned, which it does before it says ready. Until then the state ignores what the
        /// watch says of it, because the time to become ready is limited anyway.
        var lastTurn: UInt64
        /// How long that has not changed, in milliseconds.
        var silence: Int64 = 0
    }

    private let limit: Int64
    private let pause: Int64
    private var workers: [ChildID: Worker] = [:]
    private var lookedAt: Int64?

    init(limit: Int64, pause: Int64) {
        self.limit = limit
        self.pause = pause
    }

    var nextLook: Int64 { lookedAt.map { $0 + pause } ?? 0 }

    /// Compares the times of the last turns with those of the last look.
    ///
    /// - Returns: the workers that count as stuck from now on, each once, in ascending order.
    mutating func look(at now: Int64, _ turns: [ChildID: UInt64]) -> [ChildID] {
        let passed = min(max(0, now - (lookedAt ?? now)), pause)
        lookedAt = now
        var stuck: [ChildID] = []
        var present: [ChildID: Worker] = [:]
        for (id, turned) in turns {
            guard var worker = workers[id], worker.lastTurn == turned else {
                present[id] = Worker(lastTurn: turned)
                continue
            }
            if worker.silence < limit, worker.silence + passed >= limit { stuck.append(id) }
            worker.silence += passed
            present[id] = worker
        }
        workers = present
        return stuck.sorted()
    }
}
