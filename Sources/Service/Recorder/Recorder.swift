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
    var log: RecorderLog
    private var lastNumber: UInt64 = 0
    /// The requests that wait for a commit, by the numbers of their notifications.
    var waiting: [UInt64: Waiting] = [:]
    /// The numbers of these notifications with the times at which their requests came, the earliest first. Those that were
    /// answered meanwhile may still be among them.
    var arrivals: [(number: UInt64, nanoseconds: UInt64)] = []

    /// A request that waits for a commit.
    struct Waiting {
        let ticket: ParkedRequest
        let type: String
    }

    /// Prepares the verifier.
    ///
    /// - Throws: `anchors-none`, `anchors-damaged`, `anchors-unusable`.
    init(
        _ trust: LoadedTrust, _ settings: NotificationSettings, mailbox: StoreMailbox, logger: Logger,
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

    /// The number of requests that wait for a commit.
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
        noteCertificates()
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

    /// Refuses a request: counts it, and logs it at a bounded rate.
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
