internal import Configuration
internal import Cryptography
internal import FastCGI
internal import JSON
internal import Logging
internal import NotificationStore
internal import Pool
internal import Reply
internal import SignedPayloads
internal import System

/// Takes notifications: verifies each, parks its request, and answers it once the notification is durable. Belongs to the
/// thread that answers.
final class Recorder {
    private(set) var settings: NotificationSettings
    private var bodyByteLimit: Int
    private(set) var verifier: SignedPayloadVerifier
    var certificateEnds: CertificateEnds = [:]
    /// How far `signedDate` of the latest payload was ahead of this machine's clock, in milliseconds.
    var signedDateOffset: Int64?
    var clockWatch = ClockWatch()
    /// When to look at the certificates again, in nanoseconds of the monotonic clock.
    var nextLook: UInt64 = 0
    let mailbox: StoreMailbox
    let logger: Logger
    let timing: RecorderTiming
    var counters = RecorderCounters()
    var connectionCounts: () -> FastCGICounts = { FastCGICounts() }
    var condition = StoreCondition.opening
    let startedMilliseconds: Int64
    var log: RecorderLog
    private var lastNumber: UInt64 = 0
    var waiting: [UInt64: Waiting] = [:]
    /// The numbers of these notifications with the times at which their requests came, the earliest first. Those that were
    /// answered meanwhile may still be among them.
    var arrivals: [(number: UInt64, nanoseconds: UInt64)] = []

    struct Waiting {
        let ticket: ParkedRequest
        let type: String
    }

    init(
        _ trust: LoadedTrust, _ settings: NotificationSettings, mailbox: StoreMailbox, logger: Logger,
        timing: RecorderTiming
    ) throws(AnchorError) {
        self.settings = settings
        bodyByteLimit = trust.configuration.limits.notificationBodyBytes
        verifier = try SignedPayloadVerifier(policy: try trust.policy())
        certificateEnds[.anchor] = verifier.anchors.map(\.notAfterMilliseconds).min()
        self.mailbox = mailbox
        self.logger = logger
        self.timing = timing
        log = RecorderLog(logger: logger)
        startedMilliseconds = timing.wallMilliseconds()
        mailbox.setReceivers(Self.receivers(settings))
    }

    /// The receivers of notifications. `retentionctl notifications forward` refuses a URL that is no good, and says so.
    private static func receivers(_ settings: NotificationSettings) -> [ForwardReceiver] {
        settings.forward.compactMap {
            let filter = ForwardFilter(environments: $0.environments, apps: $0.apps, types: $0.types)
            return try? ForwardReceiver(url: $0.url, filter: filter)
        }
    }

    var waitingCount: Int { waiting.count }

    /// Goes on with another configuration. What cannot change is what it was before.
    ///
    /// - Throws: the errors of the anchors; then nothing has changed.
    func apply(_ trust: LoadedTrust, _ settings: NotificationSettings) throws(AnchorError) {
        verifier = try SignedPayloadVerifier(policy: try trust.policy())
        certificateEnds[.anchor] = verifier.anchors.map(\.notAfterMilliseconds).min()
        self.settings = settings
        bodyByteLimit = trust.configuration.limits.notificationBodyBytes
        mailbox.setReceivers(Self.receivers(settings))
    }

    // MARK: - Requests

    func answer(_ request: inout FastCGIRequest) -> GatewayResponse? {
        let endpoint = request.withParameter("RETENTION_ENDPOINT") { value -> EndpointName? in
            guard let value else { return nil }
            return EndpointName(value)
        }
        switch endpoint {
        case .notifications: return notification(&request)
        case .ping: return ping(request)
        case .status: return status(request)
        case .metrics: return metrics(request)
        case .retentionMessage, nil: return refuse(.endpointUnknown, request)
        }
    }

    private func notification(_ request: inout FastCGIRequest) -> GatewayResponse? {
        if let problem = EndpointHandler.problemBeforeBody(request) {
            return refuse(problem, request, fields: problem == .methodNotAllowed ? [.allow("POST")] : [])
        }
        let begun = timing.monotonicNanoseconds()
        let byteCount: Int
        switch request.readBody(limitBytes: bodyByteLimit) {
        case .complete(let count): byteCount = count
        case .tooLarge: return refuse(.bodyTooLarge, request)
        case .incomplete, .aborted: return refuse(.bodyIncomplete, request)
        case .late: return refuse(.deadlinePassed, request)
        }
        let now = timing.wallMilliseconds()
        let verified: VerifiedPayload<SignedNotification>
        do throws(VerificationError) {
            verified = try request.withBody { body throws(VerificationError) in
                try verifier.verifyNotification(body: body, nowMilliseconds: now)
            }
        } catch {
            return refuse(.refused(error.refusal), request, detail: error.detail?.description)
        }
        guard mailbox.hasRoom(byteCount: byteCount), let ticket = request.park() else {
            return refuse(.overloaded, request)
        }
        arrivals.append((lastNumber + 1, begun))
        store(verified, ticket, byteCount: byteCount, receivedAt: now, EndpointHandler.requestID(request))
        return nil
    }

    private func store(
        _ verified: VerifiedPayload<SignedNotification>, _ ticket: ParkedRequest, byteCount: Int,
        receivedAt now: Int64, _ requestID: String
    ) {
        let notification = verified.payload
        takeCertificates()
        for part in notification.failedParts {
            counters.count(failedPart: part.error.code)
            log.partFailed(part.name, part.error, requestID)
        }
        lastNumber += 1
        waiting[lastNumber] = Waiting(
            ticket: ticket, type: RecorderCounters.label(notification.content.notificationType))
        mailbox.add(
            StoreMailbox.Entry(
                number: lastNumber, item: StoreItem(verified, source: .push, receivedAt: now),
                byteCount: byteCount)
        )
    }

    func refuse(
        _ problem: Problem, _ request: borrowing FastCGIRequest, fields: [HeaderField] = [],
        detail: String? = nil
    ) -> GatewayResponse {
        counters.count(problem)
        log.refused(
            problem, detail: detail, requestID: EndpointHandler.requestID(request),
            at: timing.monotonicNanoseconds())
        return GatewayResponse(problem, for: .notification, fields: fields)
    }
}

extension Recorder {
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

    func takeCertificates() {
        for certificate in verifier.takeUsedCertificates() {
            certificateEnds[certificate.position] = certificate.notAfterMilliseconds
        }
    }

    /// Tells when this machine's clock was set. The process calls this after each turn.
    func watch() {
        guard timing.monotonicNanoseconds() >= nextLook else { return }
        nextLook = timing.monotonicNanoseconds() &+ Self.lookNanoseconds
        if let offset = verifier.takeSignedDateOffset() { signedDateOffset = offset }
        guard let jump = clockWatch.jump(wall: timing.wallMilliseconds(), boot: timing.bootMilliseconds)
        else { return }
        counters.clockJumps += 1
        logger.warning(
            "the wall clock jumped", metadata: ["code": "clock-jumped", "milliseconds": "\(jump)"])
    }

    static let lookNanoseconds: UInt64 = 2_000_000_000
}

/// The clocks of a recorder. Tests have others.
package struct RecorderTiming: Sendable {
    package var wallMilliseconds: @Sendable () -> Int64
    /// Returns nanoseconds of a clock that never goes back.
    package var monotonicNanoseconds: @Sendable () -> UInt64
    /// Returns nanoseconds of a clock that never goes back and also counts while the machine sleeps.
    package var bootNanoseconds: @Sendable () -> UInt64

    var bootMilliseconds: Int64 { Int64(bootNanoseconds() / 1_000_000) }

    package static let system = RecorderTiming(
        wallMilliseconds: { Clock.wallMilliseconds() },
        monotonicNanoseconds: { Clock.monotonicNanoseconds() },
        bootNanoseconds: { Clock.bootNanoseconds() }
    )
}

extension Recorder {
    /// For each receiver of notifications its name without secrets, and how long the first notification waits that it does
    /// not have yet.
    var forwardLags: [(receiver: String, seconds: UInt64)] {
        let now = timing.wallMilliseconds()
        return mailbox.backlogs.map { ($0.receiver.name, $0.seconds(atMilliseconds: now)) }
    }

    var setAsideCounts: [(receiver: String, count: Int64)] {
        mailbox.backlogs.map { ($0.receiver.name, $0.setAsideCount) }
    }

    /// Answers a health check: `pong` while the store takes notifications, else the problem `store-unavailable` (503).
    func ping(_ request: borrowing FastCGIRequest) -> GatewayResponse {
        guard EndpointHandler.isRead(request) else { return refuseMethod() }
        guard condition == .open else { return GatewayResponse(.storeUnavailable, for: .notification) }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array("pong".utf8))
    }

    func status(_ request: borrowing FastCGIRequest) -> GatewayResponse {
        guard EndpointHandler.isRead(request) else { return refuseMethod() }
        if EndpointHandler.wantsJSON(request) {
            return GatewayResponse(
                status: 200,
                contentType: "application/json",
                body: JSONNode.object(fields.map { ($0.name, $0.value) }).serialized()
            )
        }
        let lines = fields.map { field in
            "\(field.name): " + String(repeating: " ", count: max(0, 24 - field.name.utf8.count))
                + StatusText.shown(field)
        }
        return GatewayResponse(
            status: 200, contentType: "text/plain", body: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    func metrics(_ request: borrowing FastCGIRequest) -> GatewayResponse {
        guard EndpointHandler.isRead(request) else { return refuseMethod() }
        let body = metricsText()
        return GatewayResponse(status: 200, contentType: MetricText.contentType, body: body)
    }

    private func refuseMethod() -> GatewayResponse {
        GatewayResponse(.methodNotAllowed, for: .notification, fields: [.allow("GET, HEAD")])
    }

    private var fields: [(name: String, value: JSONNode)] {
        let state: (String, JSONNode) =
            switch condition {
            case .opening: ("opening", .null)
            case .open: ("open", .null)
            case .failing(let error): ("failing", .string(error.code))
            }
        func number(_ value: UInt64) -> JSONNode { .integer(Int64(clamping: value)) }
        var fields: [(name: String, value: JSONNode)] = [
            ("start time", .integer(startedMilliseconds / 1000)), ("store", .string(settings.store)),
            ("store state", .string(state.0)), ("store code", state.1),
            ("waiting", .integer(Int64(waitingCount))), ("pending", .integer(Int64(mailbox.pendingCount))),
            ("stored", number(counters.total(.stored))),
            ("already there", number(counters.total(.alreadyThere))),
            ("tombstoned", number(counters.total(.tombstoned))),
            ("not stored", number(counters.notStored)), ("late commits", number(counters.lateCommits)),
            ("last notification", counters.lastMilliseconds.map { .integer($0 / 1000) } ?? .null),
        ]
        if let offset = signedDateOffset {
            fields.append(("signed date offset", .integer(offset)))
        }
        for (position, end) in certificateEnds.inOrder {
            fields.append(("\(position.rawValue) ends", .integer(end / 1000)))
        }
        for (code, count) in counters.problems.sorted(by: { $0.key < $1.key }) where count > 0 {
            fields.append(("problem \(code)", number(count)))
        }
        for (receiver, seconds) in forwardLags {
            fields.append(("forward lag \(receiver)", number(seconds)))
        }
        for backlog in mailbox.backlogs {
            let (name, filter) = (backlog.receiver.name, backlog.receiver.filter.description)
            fields.append(("forward set aside \(name)", .integer(backlog.setAsideCount)))
            if !filter.isEmpty { fields.append(("forward only \(name)", .string(filter))) }
        }
        return fields
    }
}

/// Writes the recorder's log lines. Lines that others can cause are written at a bounded rate for each code.
struct RecorderLog {
    private static let burst = 10
    private static let intervalNanoseconds: UInt64 = 10_000_000_000

    let logger: Logger
    /// One rate limit for each code, so that a flood of one refusal does not hide another.
    private var limits: [String: RateLimiter] = [:]

    init(logger: Logger) {
        self.logger = logger
    }

    /// Logs a refusal. `detail` has no secret: an app's number or its bundle identifier at most.
    mutating func refused(_ problem: Problem, detail: String?, requestID: String, at now: UInt64) {
        guard let held = admit(problem.code, now) else { return }
        var metadata: Logger.Metadata = ["code": "\(problem.code)"]
        if let detail { metadata["detail"] = "\(detail)" }
        if !requestID.isEmpty { metadata["request.id"] = "\(requestID)" }
        if held > 0 { metadata["held-back"] = "\(held)" }
        if problem == .refused(.signedDateAhead) {
            logger.error("signedDate is in the future: set this machine's clock", metadata: metadata)
        } else if problem.status(for: .notification) >= 500 {
            logger.error("notification not acknowledged", metadata: metadata)
        } else {
            logger.warning("notification refused", metadata: metadata)
        }
    }

    mutating func partFailed(_ name: String, _ error: VerificationError, _ requestID: String) {
        guard let held = admit("part." + error.code, Clock.monotonicNanoseconds()) else { return }
        logger.error(
            "a part of a notification failed its check; nothing is derived from it",
            metadata: [
                "code": "\(error.code)", "part": "\(name)", "request.id": "\(requestID)",
                "held-back": "\(held)",
            ]
        )
    }

    mutating func notTaken(_ error: NotificationStoreError, at now: UInt64) {
        guard let held = admit("item." + error.code, now) else { return }
        logger.error(
            "the store refuses a notification",
            metadata: ["code": "\(error.code)", "reason": "\(error)", "held-back": "\(held)"])
    }

    func changed(_ condition: StoreCondition, _ address: String) {
        switch condition {
        case .opening: break
        case .open: logger.notice("the store takes notifications", metadata: ["store": "\(address)"])
        case .failing(let error):
            logger.critical(
                "the store takes no notifications: they are answered with 503",
                metadata: ["code": "\(error.code)", "reason": "\(error)", "store": "\(address)"])
        }
    }

    private mutating func admit(_ code: String, _ now: UInt64) -> Int? {
        var limiter =
            limits[code]
            ?? RateLimiter(burst: Self.burst, intervalNanoseconds: Self.intervalNanoseconds)
        defer { limits[code] = limiter }
        return limiter.admit(atNanoseconds: now)
    }
}
