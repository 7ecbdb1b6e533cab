internal import Answers
internal import Configuration
internal import Endpoints
internal import FastCGI
internal import NotificationStore
internal import Telemetry

/// Answers the requests whose notifications have an outcome, and those that have waited too long.
extension Recorder {
    /// Takes the batches whose commits have ended, and answers their requests.
    func answerFinished(on server: FastCGIServer) {
        let (finished, condition) = mailbox.collect()
        if condition != self.condition {
            self.condition = condition
            log.changed(condition, settings.store)
        }
        for batch in finished {
            // A batch that a broken store refuses at once would make the store look fast.
            if batch.outcomes.contains(where: \.isSettled) { counters.count(batch) }
            for (number, outcome) in zip(batch.numbers, batch.outcomes) {
                settle(number, outcome, on: server)
            }
        }
    }

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
        counters.lastMilliseconds = timing.wallMilliseconds()
        server.answer(place.ticket, with: Self.acknowledgement)
    }

    /// The answer for a notification that is durable.
    private static let acknowledgement = GatewayResponse(status: 200, contentType: "text/plain", body: [])

    /// Answers with 503 what has waited too long. Its commit goes on, or comes when the store takes notifications.
    func answerLate(on server: FastCGIServer) {
        let now = timing.monotonicNanoseconds()
        let problem = condition == .open ? Problem.deadlinePassed : .storeUnavailable
        var answeredCount = 0
        for (number, arrival) in arrivals {
            if let place = waiting[number] {
                guard arrival &+ patienceNanoseconds <= now else { break }
                waiting[number] = nil
                counters.count(problem)
                log.refused(problem, detail: nil, requestID: "", at: now)
                server.answer(place.ticket, with: GatewayResponse(problem, for: .notification))
            }
            answeredCount += 1
        }
        arrivals.removeFirst(answeredCount)
    }

    private var patienceNanoseconds: UInt64 { UInt64(max(0, settings.deadlineMilliseconds)) * 1_000_000 }

    /// How long a turn may wait, in milliseconds, before a request must be answered; nil when no request waits.
    var turnLimitMilliseconds: Int32? {
        guard let first = arrivals.first else { return nil }
        let (due, now) = (first.nanoseconds &+ patienceNanoseconds, timing.monotonicNanoseconds())
        return due > now ? Int32(clamping: (due - now + 999_999) / 1_000_000) : 0
    }
}
