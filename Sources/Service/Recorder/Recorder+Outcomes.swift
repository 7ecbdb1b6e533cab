internal import Answers
internal import Configuration
internal import Endpoints
internal import FastCGI
internal import NotificationStore
internal import Telemetry

/// Answers the requests whose notifications have an outcome, and those that have waited too long.
extension Recorder {
    /// Takes the batches whose commits have ended.
    func collectFinished() {
        let (finished, condition) = mailbox.collect()
        if condition != self.condition {
            self.condition = condition
            log.changed(condition, settings.store)
        }
        for batch in finished {
            // A batch that a broken store refuses at once would make the store look fast.
            if batch.outcomes.contains(where: \.isSettled) { counters.count(batch) }
            settled.add(batch)
        }
    }

    /// Answers requests whose commits have ended: some of them, or all when the recorder leaves, when a request must be answered
    /// soon, and when half of the requests that may wait do.
    func answerSettled(on server: FastCGIServer, leaves: Bool) {
        guard !settled.isEmpty else { return }
        let soon = timing.monotonicNanoseconds() &+ Self.soonNanoseconds
        let isUrgent = firstDeadline < deadlines.count && deadlines[firstDeadline].nanoseconds <= soon
        let isHalfFull = waiting.count >= settings.waitingCount / 2
        for (number, outcome) in settled.take(all: leaves || isUrgent || isHalfFull) {
            settle(number, outcome, on: server)
        }
    }

    /// How long before its deadline a request must be answered soon: longer than a few turns take.
    private static let soonNanoseconds: UInt64 = 500_000_000

    private func settle(_ number: UInt64, _ outcome: StoreOutcome, on server: FastCGIServer) {
        if case .notStored(let error) = outcome {
            counters.notStored += 1
            if error.isAboutItem { log.notTaken(error, at: timing.monotonicNanoseconds()) }
        }
        guard let place = waiting.removeValue(forKey: number) else {
            if outcome.isSettled { counters.lateCommits += 1 }
            return
        }
        let result: RecorderCounters.Outcome? =
            switch outcome {
            case .stored: .stored
            case .alreadyThere: .alreadyThere
            case .tombstoned: .tombstoned
            case .notStored: nil
            }
        guard let result else {
            counters.count(.storeUnavailable)
            server.answer(place.ticket, with: GatewayResponse(.storeUnavailable, for: .notification))
            return
        }
        counters.count(result, type: place.type)
        if place.isUnchecked { counters.unchecked += 1 }
        counters.lastMilliseconds = timing.wallMilliseconds()
        server.answer(place.ticket, with: Self.acknowledgement)
    }

    /// The answer for a notification that is durable.
    private static let acknowledgement = GatewayResponse(status: 200, contentType: "text/plain", body: [])

    /// Answers with 503 what has waited too long. Its commit goes on, or comes when the store takes notifications.
    func answerLate(on server: FastCGIServer) {
        let now = timing.monotonicNanoseconds()
        let problem = condition == .open ? Problem.deadlinePassed : .storeUnavailable
        while firstDeadline < deadlines.count,
            waiting[deadlines[firstDeadline].number] == nil
                || deadlines[firstDeadline].nanoseconds <= now
        {
            let number = deadlines[firstDeadline].number
            firstDeadline += 1
            guard let place = waiting.removeValue(forKey: number) else { continue }
            counters.count(problem)
            log.refused(problem, detail: nil, requestID: "", at: now)
            server.answer(place.ticket, with: GatewayResponse(problem, for: .notification))
        }
        if firstDeadline > 1024 || firstDeadline == deadlines.count {
            deadlines.removeFirst(firstDeadline)
            firstDeadline = 0
        }
    }

    /// How long a turn may wait, in milliseconds, before a request can or must be answered; nil when no request waits.
    var turnLimitMilliseconds: Int32? {
        guard settled.isEmpty else { return SettledNotifications.turnMilliseconds }
        guard firstDeadline < deadlines.count else { return nil }
        let (due, now) = (deadlines[firstDeadline].nanoseconds, timing.monotonicNanoseconds())
        return due > now ? Int32(clamping: (due - now + 999_999) / 1_000_000) : 0
    }
}
