internal import Configuration
internal import Cryptography
internal import Facts
package import FastCGI
internal import Logging
package import Reply
internal import Rules
package import SignedPayloads
internal import System

/// Answers requests, one at a time, with the one generation that the handler was created with. Belongs to one thread.
package final class EndpointHandler {
    let generation: Generation
    let verifier: SignedPayloadVerifier
    let observer: RequestObserver
    let recorder: DecisionRecorder?
    let tally: DecisionTally
    /// True while the answer that was made last is one to a request for a retention message.
    var isAnswerToMessageRequest = false
    let signers: [Int64: OfferSigner]

    /// `recorder` records the decisions; nil means that no records are written.
    package init(generation: Generation, observer: RequestObserver, recorder: DecisionRecorder? = nil)
        throws(AnchorError)
    {
        self.generation = generation
        self.observer = observer
        self.recorder = recorder
        tally = DecisionTally(generation, observer.counters)
        signers = generation.offerSigners()
        verifier = try SignedPayloadVerifier(
            policy: generation.configuration.verificationPolicy(anchors: generation.manifest.anchors))
        observer.set(anchors: verifier.anchors)
    }

    package func answer(_ request: inout some GatewayRequest & ~Copyable) -> GatewayResponse {
        let endpoint = request.withParameter("RETENTION_ENDPOINT") { value -> EndpointName? in
            guard let value else { return nil }
            return EndpointName(value)
        }
        isAnswerToMessageRequest = false
        switch endpoint {
        case .retentionMessage: return retentionMessage(&request)
        case .ping, .status, .metrics:
            guard Self.isRead(request) else {
                return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
            }
            return endpoint == .ping ? ping(request) : endpoint == .status ? status(request) : metrics()
        case .notifications, nil:
            observer.began(at: request.acceptedMonotonicNanoseconds)
            return refuse(.endpointUnknown, request)
        }
    }

    /// Verifies a chain that another worker has verified. A hint is never trusted, and bytes that are not a chain are
    /// ignored.
    package func takeHint(_ hint: [UInt8]) {
        guard let chain = ChainBytes(serialized: hint.span) else { return }
        _ = verifier.warm(chain, nowMilliseconds: Clock.wallMilliseconds())
    }

    /// Returns the next chain that this worker verified and that other workers should know of; nil when there is none.
    package func nextHint() -> [UInt8]? { verifier.takeVerifiedChain()?.serialized }

    /// Counts what has happened on the connections and in the verifier, and gives the decision records of the answers
    /// that have been sent to their log. The worker calls this before it waits.
    package func turnEnded(_ connections: FastCGICounts) {
        let now = Clock.monotonicNanoseconds()
        recorder?.flush()
        observer.observe(connections: connections, verifier: verifier.counts)
        for certificate in verifier.takeUsedCertificates() { observer.counters.set(certificate) }
        if let offset = verifier.takeSignedDateOffset() { observer.counters.set(signedDateOffset: offset) }
        observer.turnEnded(waitingCount: connections.waitingCount, atNanoseconds: now)
    }

    package func sent(nanoseconds: UInt64) {
        if isAnswerToMessageRequest { observer.counters.observe(.send, nanoseconds: nanoseconds) }
    }

    package func reopenLogs() {
        observer.reopenErrorLog()
        recorder?.reopen()
    }

    package func leaves() { observer.leaves() }

    /// Has every decision record written, once the worker has left. Logs it when that takes longer than `milliseconds`.
    package func finishRecords(within milliseconds: Int32) {
        guard let recorder, !recorder.finish(within: milliseconds) else { return }
        observer.logger.warning("left before all decision records were written")
    }

    /// The counters count no such requests.
    func refuseProbe(
        _ problem: Problem, _ request: borrowing some GatewayRequest & ~Copyable, fields: [HeaderField] = []
    ) -> GatewayResponse {
        observer.refusedProbe(problem, requestID: Self.requestID(request))
        return GatewayResponse(problem, fields: fields)
    }

    func refuse(
        _ problem: Problem, _ request: borrowing some GatewayRequest & ~Copyable, fields: [HeaderField] = [],
        detail: String? = nil
    ) -> GatewayResponse {
        let identifier = Self.requestID(request)
        observer.refused(problem, detail: detail, requestID: identifier)
        return GatewayResponse(problem, fields: fields)
    }

    /// Returns nginx's `$request_id`, for the log; empty when it is absent or longer than 64 bytes.
    package static func requestID(_ request: borrowing some GatewayRequest & ~Copyable) -> String {
        request.withParameter("REQUEST_ID") { value in
            guard let value, value.count <= 64 else { return "" }
            var text: [UInt8] = []
            for index in value.indices { text.append(value[index]) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    package static func isRead(_ request: borrowing some GatewayRequest & ~Copyable) -> Bool {
        request.withParameter("REQUEST_METHOD") { method -> Bool in
            guard let method else { return false }
            return method.isEqual(to: "GET") || method.isEqual(to: "HEAD")
        }
    }

    /// Returns true when a request for a status page asks for JSON: `?json`.
    package static func wantsJSON(_ request: borrowing some GatewayRequest & ~Copyable) -> Bool {
        request.withParameter("QUERY_STRING") { query in
            guard let query else { return false }
            return String(decoding: query.copied(), as: UTF8.self).split(separator: "&").contains("json")
        }
    }
}

extension EndpointHandler {
    /// Queues requests for retention messages, by the time at which nginx received them. Everything else is answered at
    /// once: pings, status pages and refusals take microseconds, and matter most when many requests wait.
    package func classify(_ parameters: Span<UInt8>, wallMilliseconds now: Int64) -> RequestClass {
        // Of several parameters with one name the first counts, as for libfcgi.
        var isMessage: Bool?
        var sent: Range<Int>?
        var elapsed: Range<Int>?
        ParameterPairs.forEach(in: parameters) { name, value in
            switch name.count {
            case 18 where parameters.extracting(name).isEqual(to: "RETENTION_ENDPOINT"):
                isMessage = isMessage ?? parameters.extracting(value).isEqual(to: "retention-message")
            case 14 where parameters.extracting(name).isEqual(to: "RETENTION_MSEC"):
                sent = sent ?? value
            case 17 where parameters.extracting(name).isEqual(to: "RETENTION_ELAPSED"):
                elapsed = elapsed ?? value
            default: break
            }
        }
        guard isMessage == true else { return .prompt }
        guard let sent, let elapsed,
            case .known(let received) = ReceivedTime(
                sent: parameters.extracting(sent), elapsed: parameters.extracting(elapsed),
                nowMilliseconds: now)
        else { return .queued(receivedMilliseconds: nil) }
        return .queued(receivedMilliseconds: received)
    }
}

extension EndpointHandler {
    private func status(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        let status = PoolStatus(
            generation: generation, counters: observer.counters, queue: observer.queue(),
            ruleCounts: tally.counts, nowMilliseconds: Clock.wallMilliseconds())
        return status.page(isJSON: Self.wantsJSON(request))
    }

    /// Answers a health check: `pong` while rules are loaded, else the problem `rules-missing` (503).
    private func ping(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard generation.hasRules else { return refuseProbe(.rulesMissing, request) }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array("pong".utf8))
    }

    private func metrics() -> GatewayResponse {
        let page = PoolMetrics(
            generation: generation, counters: observer.counters, tally: tally, queue: observer.queue())
        return GatewayResponse(status: 200, contentType: MetricText.contentType, body: page.text())
    }
}

/// The endpoint that a location of nginx serves. nginx passes its name with `fastcgi_param RETENTION_ENDPOINT`.
package enum EndpointName: String, Sendable, Hashable, CaseIterable {
    case retentionMessage = "retention-message"
    case status
    case ping
    /// App Store Server Notifications. Only the recorder serves this endpoint.
    case notifications
    case metrics

    package init?(_ value: Span<UInt8>) {
        // Compares bytes, so that no string is made for each request.
        let name = Self.allCases.first { value.isEqual(to: $0.rawValue.utf8Span.span) }
        guard let name else { return nil }
        self = name
    }
}

extension GatewayResponse {
    package init(
        _ problem: Problem, for request: AnsweredRequest = .retentionMessage, fields: [HeaderField] = []
    ) {
        self.init(
            status: problem.status(for: request), contentType: ProblemDocument.contentType, fields: fields,
            body: ProblemDocument.body(of: problem, for: request))
    }

    init(_ answer: Answer) {
        self.init(status: answer.status, contentType: answer.contentType, body: answer.body)
    }

    package static let internalFault = GatewayResponse(.internalFault)
}

extension Generation {
    /// Returns the signer of each app that has a key, by `appAppleId`. An app whose key cannot be prepared has no
    /// signer.
    func offerSigners() -> [Int64: OfferSigner] {
        var signers: [Int64: OfferSigner] = [:]
        for app in configuration.apps {
            guard let key = signingKey(appAppleId: app.appAppleId), let reference = app.signingKey else {
                continue
            }
            signers[app.appAppleId] = try? OfferSigner(
                key: key, keyId: reference.keyId, issuerId: reference.issuerId, bundleId: app.bundleId,
                form: app.offerSignature, capabilities: app.advancedCommerce.capabilities)
        }
        return signers
    }
}

extension EndpointHandler {
    func retentionMessage(_ request: inout some GatewayRequest & ~Copyable) -> GatewayResponse {
        observer.began(at: request.acceptedMonotonicNanoseconds)
        var timing = RequestTiming()
        let response = verifyAndDecide(&request, &timing)
        timing.totalMicroseconds = request.elapsedMicroseconds(at: Clock.monotonicNanoseconds())
        observer.finished(timing, requestID: Self.requestID(request))
        isAnswerToMessageRequest = true
        return response
    }

    private func verifyAndDecide(
        _ request: inout some GatewayRequest & ~Copyable, _ timing: inout RequestTiming
    ) -> GatewayResponse {
        if request.isOverloaded { return refuse(.overloaded, request) }
        let reading = Clock.monotonicNanoseconds()
        if let problem = Self.problemBeforeBody(request) {
            return refuse(problem, request, fields: problem == .methodNotAllowed ? [.allow("POST")] : [])
        }
        let now = Clock.wallMilliseconds()
        let left = millisecondsLeft(request, nowMilliseconds: now)
        guard left >= 0 else { return refuse(.deadlinePassed, request) }
        switch request.readBody(limitBytes: generation.configuration.limits.messageBodyBytes) {
        case .complete: break
        case .tooLarge: return refuse(.bodyTooLarge, request)
        case .incomplete, .aborted: return refuse(.bodyIncomplete, request)
        case .late: return refuse(.deadlinePassed, request)
        }
        let begun = Clock.monotonicNanoseconds()
        timing.readNanoseconds = begun &- reading
        let verified: VerifiedPayload<RealtimeRequest>
        do throws(VerificationError) {
            defer { timing.verifyNanoseconds = Clock.monotonicNanoseconds() &- begun }
            verified = try request.withBody { body throws(VerificationError) in
                try verifier.verifyRealtimeRequest(body: body, nowMilliseconds: now)
            }
        } catch {
            return refuse(.refused(error.refusal), request, detail: error.detail?.description)
        }
        let deadline = reading &+ UInt64(left) * 1_000_000
        return decide(verified.payload, request, &timing, nowMilliseconds: now, deadlineNanoseconds: deadline)
    }

    private func decide(
        _ asked: RealtimeRequest, _ request: borrowing some GatewayRequest & ~Copyable,
        _ timing: inout RequestTiming, nowMilliseconds: Int64, deadlineNanoseconds: UInt64
    ) -> GatewayResponse {
        guard let rules = generation.rules(appAppleId: asked.appAppleId, environment: asked.environment)
        else { return refuse(.rulesMissing, request) }
        let begun = Clock.monotonicNanoseconds()
        let facts = facts(of: asked, nowMilliseconds: nowMilliseconds)
        let deciding = Clock.monotonicNanoseconds()
        timing.factsNanoseconds = deciding &- begun
        let signed = decideAndSign(
            DecisionRequest(
                appAppleId: asked.appAppleId, environment: asked.environment, productId: asked.productId,
                userLocale: asked.userLocale, originalTransactionId: asked.originalTransactionId,
                nowMilliseconds: nowMilliseconds), facts: facts, using: rules,
            signer: signer(
                appAppleId: asked.appAppleId, atNanoseconds: deciding,
                deadlineNanoseconds: deadlineNanoseconds))
        if let failure = signed.failure {
            observer.signingFailed(failure, requestID: Self.requestID(request))
        }
        // The machine may have been suspended since the deadline was computed.
        let answeredAt = Clock.monotonicNanoseconds()
        timing.signNanoseconds = signed.signingNanoseconds
        timing.decideNanoseconds = answeredAt &- deciding &- signed.signingNanoseconds
        guard answeredAt <= deadlineNanoseconds else { return refuse(.deadlinePassed, request) }
        observer.count(signed.decision.skipped)
        tally.count(signed.decision, by: rules)
        timing.totalMicroseconds = request.elapsedMicroseconds(at: answeredAt)
        recorder?.record(
            signed.decision, serving: signed.outcome, to: asked, by: rules, nowMilliseconds: nowMilliseconds,
            timing: timing)
        observer.decided(serving: signed.outcome != nil)
        let isEmpty = generation.configuration.noAnswer == .empty
        return GatewayResponse(Answer(serving: signed.outcome, noAnswerIsEmpty: isEmpty))
    }

    /// Nil when the app has no key, and when hardly any time is left, because signing takes time.
    private func signer(appAppleId: Int64, atNanoseconds now: UInt64, deadlineNanoseconds: UInt64)
        -> OfferSigner?
    {
        now <= deadlineNanoseconds &- Self.signingNanoseconds ? signers[appAppleId] : nil
    }

    /// The time that signing may take on a busy machine. On an idle machine it takes less than a tenth of a
    /// millisecond.
    private static var signingNanoseconds: UInt64 { 5_000_000 }

    /// Returns the subscriber's facts: one lookup in the generation's facts file for the app, or no facts without such
    /// a file.
    private func facts(of asked: RealtimeRequest, nowMilliseconds: Int64) -> SubscriberFacts {
        guard
            let bound = generation.facts(appAppleId: asked.appAppleId, environment: asked.environment)
        else { return .none(ageSeconds: nil) }
        return SubscriberFacts(
            of: asked.originalTransactionId, in: bound.file, bound.binding,
            ageSeconds: bound.file.ageSeconds(atMilliseconds: nowMilliseconds))
    }

    /// Returns how many milliseconds are left until the deadline; negative when it has passed. The deadline counts from
    /// when nginx received the request. Without a believable time from nginx it counts from when this process learned
    /// of the request.
    private func millisecondsLeft(
        _ request: borrowing some GatewayRequest & ~Copyable, nowMilliseconds: Int64
    ) -> Int64 {
        let received = request.withParameter("RETENTION_MSEC") { sent -> ReceivedTime in
            request.withParameter("RETENTION_ELAPSED") { elapsed -> ReceivedTime in
                guard let sent, let elapsed else { return .unusable }
                return ReceivedTime(sent: sent, elapsed: elapsed, nowMilliseconds: nowMilliseconds)
            }
        }
        let start: Int64
        switch received {
        case .known(let milliseconds): start = milliseconds
        case .unusable:
            observer.receivedTimeIgnored()
            start = request.acceptedWallMilliseconds
        }
        return generation.configuration.deadlineMilliseconds - (nowMilliseconds - start)
    }

    /// Returns the problem that the parameters alone show, before the body is read; nil when there is no problem.
    package static func problemBeforeBody(_ request: borrowing some GatewayRequest & ~Copyable) -> Problem? {
        let isPOST = request.withParameter("REQUEST_METHOD") { method -> Bool in
            guard let method else { return false }
            return method.isEqual(to: "POST")
        }
        guard isPOST else { return .methodNotAllowed }
        let isJSON = request.withParameter("CONTENT_TYPE") { type -> Bool in
            guard let type else { return true }
            return MediaType.isJSON(type)
        }
        let isEncoded = request.withParameter("HTTP_CONTENT_ENCODING") { encoding -> Bool in
            guard let encoding else { return false }
            return encoding.count > 0
        }
        return isJSON && !isEncoded ? nil : .mediaTypeUnsupported
    }
}

/// When nginx received a request, computed from the two times that nginx passes on.
///
/// `RETENTION_MSEC` is the wall clock at the moment when nginx passed the request on, and `RETENTION_ELAPSED` is the
/// time since the first byte of the request. Both are in seconds with three decimals.
package enum ReceivedTime: Sendable, Hashable {
    /// The time in milliseconds since 1970.
    case known(milliseconds: Int64)
    /// The values are absent, malformed, or too far from our own clock to be true. The deadline then runs from the
    /// moment of acceptance.
    case unusable

    package static let aheadMilliseconds: Int64 = 1_000
    /// How old a received time may be. No request waits longer in nginx.
    package static let behindMilliseconds: Int64 = 60_000

    package init(sent: Span<UInt8>, elapsed: Span<UInt8>, nowMilliseconds: Int64) {
        guard let sent = Self.milliseconds(sent), let elapsed = Self.milliseconds(elapsed) else {
            self = .unusable
            return
        }
        // Both are below 10^15, so neither difference can overflow.
        let received = sent - elapsed
        let age = nowMilliseconds.subtractingReportingOverflow(received)
        guard !age.overflow, age.partialValue >= -Self.aheadMilliseconds,
            age.partialValue <= Self.behindMilliseconds
        else {
            self = .unusable
            return
        }
        self = .known(milliseconds: received)
    }

    /// Parses `seconds.mmm` with at most twelve digits before the point and exactly three after it. Returns the
    /// milliseconds.
    static func milliseconds(_ text: Span<UInt8>) -> Int64? {
        guard text.count >= 5, text.count <= 16, text[text.count - 4] == UInt8(ascii: ".") else { return nil }
        var value: Int64 = 0
        for index in text.indices where index != text.count - 4 {
            let byte = text[index]
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}

struct RequestTiming {
    /// The time to verify the payload or to find the reason for its refusal; 0 when the request was refused before
    /// that.
    var verifyMicroseconds: UInt64 { verifyNanoseconds / 1000 }
    var totalMicroseconds: UInt64 = 0
    /// The times of the other phases in nanoseconds; 0 for a phase that the request did not reach.
    var readNanoseconds: UInt64 = 0
    var verifyNanoseconds: UInt64 = 0
    var factsNanoseconds: UInt64 = 0
    var decideNanoseconds: UInt64 = 0
    var signNanoseconds: UInt64 = 0
}

extension GatewayRequest where Self: ~Copyable {
    func elapsedMicroseconds(at monotonicNanoseconds: UInt64) -> UInt64 {
        (monotonicNanoseconds &- acceptedMonotonicNanoseconds) / 1000
    }
}

enum MediaType {
    /// Returns true when `value` is `application/json`, in capital or small letters, with or without parameters. An
    /// empty value is accepted too, because Apple does not document what it sends.
    static func isJSON(_ value: Span<UInt8>) -> Bool {
        var end = 0
        while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
        var start = 0
        while start < end, isSpace(value[start]) { start += 1 }
        while end > start, isSpace(value[end - 1]) { end -= 1 }
        guard start < end else { return end == value.count }
        let wanted = "application/json".utf8
        guard end - start == wanted.count else { return false }
        var index = start
        for byte in wanted {
            let found = value[index]
            let lower = found >= UInt8(ascii: "A") && found <= UInt8(ascii: "Z") ? found | 0x20 : found
            guard lower == byte else { return false }
            index += 1
        }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
