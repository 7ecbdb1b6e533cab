/// When the requests of a run are due, in monotonic nanoseconds.
struct LoadSchedule {
    private let start: UInt64
    private let end: UInt64
    /// After this moment the client sends nothing, not even a request that was due before the end.
    private let lastStart: UInt64
    private let ratePerSecond: Double
    /// When the rate changes to ``calmRatePerSecond``, and the number of requests that are due before that.
    private let calmStart: UInt64
    private let countBeforeCalm: Int
    private let calmRatePerSecond: Double
    private let requestLimit: Int

    /// The schedule of a plan that begins at `start`.
    init(_ plan: LoadPlan, start: UInt64) {
        self.start = start
        calmStart = start + UInt64(plan.seconds * 1e9)
        let isCalm = plan.ratePerSecond > 0 && plan.calmRatePerSecond > 0
        end = calmStart + (isCalm ? UInt64(plan.calmSeconds * 1e9) : 0)
        countBeforeCalm = isCalm ? Int((plan.seconds * plan.ratePerSecond).rounded(.up)) : .max
        calmRatePerSecond = plan.calmRatePerSecond
        lastStart = end + UInt64(plan.overrunSeconds * 1e9)
        ratePerSecond = plan.ratePerSecond
        requestLimit = plan.requestLimit
    }

    /// Returns when request `number` (from 0) is due, which may be in the past; nil when the run sends no further request.
    ///
    /// Without a rate a request is due now. With a rate the moment depends on the number alone: a request that waits for an
    /// idle connection is late, and its latency counts from the moment it was due (no coordinated omission).
    func dueTime(ofRequest number: Int, now: UInt64) -> UInt64? {
        guard number < requestLimit else { return nil }
        guard ratePerSecond > 0 else { return now < end ? now : nil }
        guard now < lastStart else { return nil }
        let due =
            if number < countBeforeCalm {
                start + UInt64(Double(number) * 1e9 / ratePerSecond)
            } else {
                calmStart + UInt64(Double(number - countBeforeCalm) * 1e9 / calmRatePerSecond)
            }
        return due < end ? due : nil
    }

    /// Returns how many requests were due before the end but are not among the first `begun` requests.
    func unsentCount(begun: Int, now: UInt64) -> Int {
        guard ratePerSecond > 0, now > start else { return 0 }
        let elapsed = Double(min(now, end, calmStart) - start) / 1e9
        // Request 0 is due at the start, so the number of due requests is one more than the number of whole intervals.
        var due = Int((elapsed * ratePerSecond).rounded(.up))
        if min(now, end) > calmStart {
            due += Int((Double(min(now, end) - calmStart) / 1e9 * calmRatePerSecond).rounded(.up))
        }
        return max(0, min(due, requestLimit) - begun)
    }
}
