internal import Cryptography
package import FastCGI
package import Logging
internal import Reply
internal import Rules
package import SignedPayloads
package import System

/// Counts the outcomes of requests and writes the log lines about them. No line holds a payload or a subscriber's
/// identifier, and no line is waited for.
package final class RequestObserver {
    package static let codes = Problem.allCases.map(\.code)

    let counters: SharedCounters
    let logger: Logger
    private let errorLog: ErrorLog?
    private let slot: Int?
    private let slowMicroseconds: UInt64
    /// One rate limit for each code, so that a flood of one refusal does not hide another.
    private var limits: [String: RateLimiter] = [:]
    let queue: () -> ListenQueue?
    private var sampledAt: UInt64 = 0
    private var isBusy = false
    private var seenConnections = FastCGICounts()
    private var seenVerifier = VerifierCounts()

    /// Creates an observer that counts in `counters`, in the row `slot` of this worker. It logs requests that take
    /// `slowMilliseconds` or longer, opens `errorLog` again when the logs are rotated, and asks `queue` how many
    /// connections wait.
    package init(
        counters: SharedCounters,
        logger: Logger,
        slot: Int?,
        slowMilliseconds: Int64,
        errorLog: ErrorLog? = nil,
        queue: @escaping () -> ListenQueue? = { nil }
    ) {
        self.queue = queue
        self.counters = counters
        self.logger = logger
        self.errorLog = errorLog
        self.slot = slot
        slowMicroseconds = UInt64(max(0, min(slowMilliseconds, 1_000_000))) * 1000
    }

    /// Counts a request that begins, and marks the worker as busy. At most once a second it also raises the highest
    /// numbers of busy workers and of waiting connections.
    func began(at now: UInt64) {
        counters.add(.requests)
        if let slot, !isBusy {
            isBusy = true
            counters.setTurn(ofWorker: slot, atNanoseconds: now)
            counters.setWorker(slot, .busy)
        }
        // Requests do not come in the order in which they arrived.
        guard now >= sampledAt &+ 1_000_000_000 else { return }
        sampledAt = now
        counters.raise(.activeWorkers, to: UInt64(counters.workers.count { $0.state == .busy }))
        if let queue = queue() { counters.raise(.listenQueue, to: UInt64(queue.waitingCount)) }
    }

    /// Counts the turn of the worker's loop, and marks the worker as idle unless requests wait for their turn.
    func turnEnded(waitingCount: Int, atNanoseconds now: UInt64) {
        guard let slot else { return }
        counters.setTurn(ofWorker: slot, atNanoseconds: now)
        guard waitingCount == 0 else { return }
        isBusy = false
        counters.setWorker(slot, .idle)
    }

    package func leaves() {
        if let slot { counters.setWorker(slot, .draining) }
    }

    /// Counts what the worker's connections and its verifier have done since the last call.
    package func observe(connections: FastCGICounts, verifier: VerifierCounts) {
        if connections != seenConnections {
            add(connections.acceptedCount, beyond: seenConnections.acceptedCount, to: .connectionsAccepted)
            add(connections.refusedCount, beyond: seenConnections.refusedCount, to: .connectionsRefused)
            add(connections.abandonedCount, beyond: seenConnections.abandonedCount, to: .requestsAborted)
            add(connections.unsentCount, beyond: seenConnections.unsentCount, to: .requestsAborted)
            seenConnections = connections
        }
        if verifier != seenVerifier {
            add(verifier.chainCacheHits, beyond: seenVerifier.chainCacheHits, to: .chainCacheHits)
            add(verifier.chainCacheMisses, beyond: seenVerifier.chainCacheMisses, to: .chainCacheMisses)
            add(verifier.chainFailureHits, beyond: seenVerifier.chainFailureHits, to: .chainFailureHits)
            seenVerifier = verifier
        }
    }

    func set(anchors: [UsedCertificate]) {
        if let first = anchors.min(by: { $0.notAfterMilliseconds < $1.notAfterMilliseconds }) {
            counters.set(first)
        }
    }

    private func add(_ count: UInt64, beyond seen: UInt64, to counter: Counter) {
        if count > seen { counters.add(counter, count - seen) }
    }

    package func reopenErrorLog() {
        do throws(SystemCallError) {
            try errorLog?.reopen()
        } catch {
            logger.error(
                "error log not reopened", metadata: ["code": "error-log-unwritable", "reason": "\(error)"])
        }
    }

    func decided(serving: Bool) {
        if serving { return counters.add(.answersDecided) }
        counters.add(.answersNone)
        counters.add(code: Problem.noAnswer.code)
    }

    func receivedTimeIgnored() {
        counters.add(.receivedTimesIgnored)
        // This happens for every request or for no request, so one line a minute is enough.
        warn(
            "received-time-ignored", "the times nginx passes on are missing or impossible",
            limit: RateLimiter(burst: 1, intervalNanoseconds: 60_000_000_000), requestID: "")
    }

    /// Counts a refusal and logs it, with at most five lines a second for each code.
    func refused(_ problem: Problem, detail: String?, requestID: @autoclosure () -> String) {
        counters.add(code: problem.code)
        counters.add(problem.status >= 500 ? .answersFailed : .answersRefused)
        switch problem {
        case .bodyTooLarge: counters.add(.bodiesRefused)
        case .deadlinePassed: counters.add(.deadlinesPassed)
        case .overloaded: counters.add(.shedQueueFull)
        case .refused(.chainBudget): counters.add(.chainBudgetRefusals)
        default: break
        }
        warn(problem.code, "request refused", detail: detail, requestID: requestID())
    }

    func signingFailed(_ error: OfferSigningError, requestID: @autoclosure () -> String) {
        warn(error.code, "an outcome could not be signed", requestID: requestID())
    }

    func refusedProbe(_ problem: Problem, requestID: @autoclosure () -> String) {
        warn(problem.code, "status or ping refused", requestID: requestID())
    }

    func finished(_ timing: RequestTiming, requestID: @autoclosure () -> String) {
        counters.finishRequest(worker: slot, microseconds: timing.totalMicroseconds)
        let phases: [5 of (RequestPhase, UInt64)] = [
            (.read, timing.readNanoseconds), (.verify, timing.verifyNanoseconds),
            (.facts, timing.factsNanoseconds),
            (.decide, timing.decideNanoseconds), (.sign, timing.signNanoseconds),
        ]
        for index in phases.indices where phases[index].1 > 0 {
            counters.observe(phases[index].0, nanoseconds: phases[index].1)
        }
        guard timing.totalMicroseconds >= slowMicroseconds, slowMicroseconds > 0 else { return }
        counters.add(.requestsSlow)
        warn(
            "request-slow", "request was slow",
            detail: "verify \(timing.verifyMicroseconds) us, total \(timing.totalMicroseconds) us",
            requestID: requestID())
    }

    private func warn(
        _ code: String, _ message: Logger.Message, detail: String? = nil,
        limit fresh: RateLimiter = RateLimiter(burst: 5, intervalNanoseconds: 1_000_000_000),
        requestID: @autoclosure () -> String
    ) {
        var limit = limits[code] ?? fresh
        let admitted = limit.admit(atNanoseconds: Clock.monotonicNanoseconds())
        limits[code] = limit
        guard let heldBack = admitted else {
            counters.add(.logLinesLimited)
            return
        }
        var metadata: Logger.Metadata = ["code": "\(code)"]
        if let detail { metadata["detail"] = "\(detail)" }
        let identifier = requestID()
        if !identifier.isEmpty { metadata["request.id"] = "\(identifier)" }
        if heldBack > 0 { metadata["held-back"] = "\(heldBack)" }
        logger.warning(message, metadata: metadata)
    }
}

extension RequestObserver {
    func count(_ rules: SkippedRules) {
        let counts: [9 of (Counter, UInt32)] = [
            (.rulesDisabled, rules.disabled), (.rulesOutsideWindow, rules.outsideWindow),
            (.rulesUnknown, rules.unknownCondition), (.rulesNotInRollout, rules.notInRollout),
            (.rulesNoArm, rules.noArm), (.rulesCapped, rules.capped), (.rulesUnapproved, rules.unapproved),
            (.rulesNoLocale, rules.noLocale), (.rulesSignFailed, rules.signFailed),
        ]
        for index in counts.indices where counts[index].1 > 0 {
            counters.add(counts[index].0, UInt64(counts[index].1))
        }
    }
}
