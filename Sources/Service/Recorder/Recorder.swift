internal import Answers
internal import Configuration
internal import Cryptography
internal import Endpoints
internal import FastCGI
internal import Loader
internal import Logging
internal import NotificationStore
internal import SignedPayloads
internal import System
internal import Telemetry

/// Takes notifications: verifies each, parks its request, and answers it once the notification is durable. Belongs to the
/// thread that answers.
final class Recorder {
    private(set) var settings: NotificationSettings
    private var limits: ByteLimits
    private(set) var verifier: SignedPayloadVerifier
    /// The configured anchors.
    private(set) var anchors: [UsedCertificate]
    var sightings = CertificateSightings()
    var certificateWatch = CertificateWatch()
    var clockOffsets = ClockOffsets()
    var clockWatch = ClockWatch(latestMilliseconds: lateMilliseconds)
    /// When to look at the certificates again, in nanoseconds of the monotonic clock.
    var nextLook: UInt64 = 0
    let mailbox: StoreMailbox
    let logger: Logger
    let timing: RecorderTiming
    var counters = RecorderCounters()
    /// Returns what has happened on the connections. The process sets it, because it owns the server.
    var connectionCounts: () -> FastCGICounts = { FastCGICounts() }
    var condition = StoreCondition.opening
    let startedMilliseconds: Int64
    private var quota = UncheckedQuota()
    var log: RecorderLog
    private var lastNumber: UInt64 = 0
    /// The requests that wait for a commit or for their answer after it, by the numbers of their notifications.
    var waiting: [UInt64: Waiting] = [:]
    /// The numbers of these notifications with the times at which they must be answered, the earliest first. Those that were
    /// answered are still among them.
    var deadlines: [(number: UInt64, nanoseconds: UInt64)] = []
    var firstDeadline = 0
    private var gathered = GatheredNotifications()
    var settled = SettledNotifications()

    /// A request that waits for a commit, or for its answer after it.
    struct Waiting {
        let ticket: ParkedRequest
        let type: String
        let isUnchecked: Bool
    }

    /// Prepares the verifier.
    ///
    /// - Throws: `anchors-none`, `anchors-damaged`, `anchors-unusable`.
    init(
        _ trust: LoadedTrust,
        _ settings: NotificationSettings,
        mailbox: StoreMailbox,
        logger: Logger,
        timing: RecorderTiming
    ) throws(AnchorError) {
        self.settings = settings
        limits = trust.configuration.limits
        verifier = try SignedPayloadVerifier(policy: try trust.policy())
        anchors = verifier.anchors
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

    /// The number of requests that wait for a commit, or for their answer after it.
    var waitingCount: Int { waiting.count }

    /// Goes on with another configuration. What cannot change is what it was before.
    ///
    /// - Throws: the errors of the anchors; then nothing has changed.
    func apply(_ trust: LoadedTrust, _ settings: NotificationSettings) throws(AnchorError) {
        verifier = try SignedPayloadVerifier(policy: try trust.policy())
        anchors = verifier.anchors
        limits = trust.configuration.limits
        self.settings = settings
        mailbox.setReceivers(Self.receivers(settings))
    }

    // MARK: - Requests

    /// Answers one request, or parks it until its notification is durable.
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
        switch request.readBody(limitBytes: limits.notificationBodyBytes) {
        case .complete(let count): byteCount = count
        case .tooLarge: return refuse(.bodyTooLarge, request)
        case .incomplete, .aborted: return refuse(.bodyIncomplete, request)
        case .late: return refuse(.deadlinePassed, request)
        }
        let now = timing.wallMilliseconds()
        if !quota.isKnown, let stored = mailbox.unchecked { quota.begin(stored) }
        let mayBeUnchecked = quota.hasRoom(limit: settings.uncheckedPerDay, nowMilliseconds: now)
        let verified: VerifiedPayload<SignedNotification>
        do throws(VerificationError) {
            verified = try request.withBody { body throws(VerificationError) in
                try verifier.verifyNotification(
                    body: body,
                    nowMilliseconds: now,
                    acceptsUnchecked: mayBeUnchecked
                )
            }
        } catch {
            // Nobody knows yet how many of these came today, so Apple has to send this one again.
            if error.refusal == .ownerUnknown, !quota.isKnown { return refuse(.storeUnavailable, request) }
            return refuse(.refused(error.refusal), request, detail: error.detail?.description)
        }
        guard gathered.hasRoom(byteCount: byteCount, in: mailbox), let ticket = request.park() else {
            return refuse(.overloaded, request)
        }
        wait(for: lastNumber + 1, until: begun &+ patienceNanoseconds(request, at: now))
        store(verified, ticket, byteCount: byteCount, receivedAt: now, EndpointHandler.requestID(request))
        return nil
    }

    /// How long nginx waits for an answer at least, in milliseconds, minus a second for the way back. The shipped nginx files
    /// give up after ten seconds.
    static let gatewayMilliseconds: Int64 = 9_000

    /// Returns how long the answer to a request may still take: `deadlineMilliseconds`, but not longer than nginx waits. A
    /// request that has waited in the socket, as while the recorder restarts, has less time left.
    private func patienceNanoseconds(_ request: borrowing FastCGIRequest, at now: Int64) -> UInt64 {
        let deadline = max(0, settings.deadlineMilliseconds)
        let sent = request.withParameter("RETENTION_MSEC") { value -> ReceivedTime in
            guard let value else { return .unusable }
            return ReceivedTime(passedOn: value, nowMilliseconds: now)
        }
        guard case .known(let sent) = sent else { return UInt64(deadline) * 1_000_000 }
        let left = max(Self.gatewayMilliseconds, deadline) - max(0, now - sent)
        return UInt64(min(deadline, max(0, left))) * 1_000_000
    }

    /// Notes when a notification must be answered. Nearly always that is later than all others, at the end of the list.
    private func wait(for number: UInt64, until nanoseconds: UInt64) {
        var place = deadlines.count
        while place > firstDeadline, deadlines[place - 1].nanoseconds > nanoseconds { place -= 1 }
        deadlines.insert((number, nanoseconds), at: place)
    }

    private func store(
        _ verified: VerifiedPayload<SignedNotification>,
        _ ticket: ParkedRequest,
        byteCount: Int,
        receivedAt now: Int64,
        _ requestID: String
    ) {
        let notification = verified.payload
        noteCertificates()
        for part in notification.failedParts {
            counters.count(failedPart: part.error.code)
            log.partFailed(part.name, part.error, requestID)
        }
        lastNumber += 1
        let isUnchecked = notification.owner == nil
        if isUnchecked { quota.take() }
        waiting[lastNumber] = Waiting(
            ticket: ticket,
            type: RecorderCounters.label(notification.content.notificationType),
            isUnchecked: isUnchecked
        )
        gathered.add(
            StoreMailbox.Entry(
                number: lastNumber,
                item: StoreItem(verified, source: .push, receivedAt: now),
                byteCount: byteCount
            )
        )
    }

    /// The number of notifications without an outcome.
    var pendingCount: Int { gathered.count + mailbox.pendingCount }

    /// Hands the notifications that came in one turn to the thread that commits.
    func handOver() { gathered.handOver(to: mailbox) }

    /// Refuses a request: counts it, and logs it at a bounded rate.
    func refuse(
        _ problem: Problem,
        _ request: borrowing FastCGIRequest,
        fields: [HeaderField] = [],
        detail: String? = nil
    ) -> GatewayResponse {
        counters.count(problem)
        log.refused(
            problem,
            detail: detail,
            requestID: EndpointHandler.requestID(request),
            at: timing.monotonicNanoseconds()
        )
        return GatewayResponse(problem, for: .notification, fields: fields)
    }
}
