internal import Configuration
internal import Cryptography
internal import Facts
package import FastCGI
package import Reply
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

    /// Prepares the anchors of the verification policy and the caches of this thread. `recorder` records the decisions;
    /// nil means that no records are written.
    package init(generation: Generation, observer: RequestObserver, recorder: DecisionRecorder? = nil)
        throws(AnchorError)
    {
        self.generation = generation
        self.observer = observer
        self.recorder = recorder
        tally = DecisionTally(generation, observer.poolCounters)
        signers = generation.offerSigners()
        verifier = try SignedPayloadVerifier(policy: generation.verificationPolicy())
        observer.note(anchors: verifier.anchors)
    }

    package func answer(_ request: inout some GatewayRequest & ~Copyable) -> GatewayResponse {
        let endpoint = request.withParameter("RETENTION_ENDPOINT") { value -> EndpointName? in
            guard let value else { return nil }
            return EndpointName(value)
        }
        isAnswerToMessageRequest = false
        switch endpoint {
        case .retentionMessage: return retentionMessage(&request)
        case .ping: return ping(request)
        case .status: return status(request)
        case .metrics: return metrics(request)
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
        for certificate in verifier.takeUsedCertificates() { observer.counters.note(certificate) }
        observer.note(clockOffsets: verifier.takeSignedDateOffsets())
        observer.turnEnded(waitingCount: connections.waitingCount, atNanoseconds: now)
    }

    package func sent(nanoseconds: UInt64) {
        if isAnswerToMessageRequest { observer.sent(nanoseconds: nanoseconds) }
    }

    package func reopenLogs() {
        observer.reopenErrorLog()
        recorder?.reopen()
    }

    package func leaves() { observer.leaves() }

    /// Has every decision record written, once the worker has left. Logs it when that takes longer than `milliseconds`.
    package func finishRecords(within milliseconds: Int32) {
        guard let recorder, !recorder.finish(within: milliseconds) else { return }
        observer.recordsLeft()
    }

    /// Refuses and logs a ping or a request for the status page. The counters count no such requests.
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
            return ["GET", "HEAD"].contains { name in
                var index = 0
                guard name.utf8.count == method.count else { return false }
                for byte in name.utf8 {
                    guard method[index] == byte else { return false }
                    index += 1
                }
                return true
            }
        }
    }
}

/// Which requests wait for their turn.
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
            case 18 where ParameterPairs.equal(parameters, at: name, "RETENTION_ENDPOINT"):
                isMessage = isMessage ?? ParameterPairs.equal(parameters, at: value, "retention-message")
            case 14 where ParameterPairs.equal(parameters, at: name, "RETENTION_MSEC"):
                sent = sent ?? value
            case 17 where ParameterPairs.equal(parameters, at: name, "RETENTION_ELAPSED"):
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
    func status(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        let query = request.withParameter("QUERY_STRING") { StatusQuery($0) }
        let status = PoolStatus(
            generation: generation, counters: observer.poolCounters, queue: observer.queue(),
            ruleCounts: tally.counts, nowMilliseconds: Clock.wallMilliseconds())
        return status.page(query)
    }

    /// Answers a health check: `pong` while rules are loaded, else the problem `rules-missing` (503).
    func ping(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        guard generation.hasRules else { return refuseProbe(.rulesMissing, request) }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array("pong".utf8))
    }

    func metrics(_ request: borrowing some GatewayRequest & ~Copyable) -> GatewayResponse {
        guard Self.isRead(request) else {
            return refuseProbe(.methodNotAllowed, request, fields: [.allow("GET, HEAD")])
        }
        let page = PoolMetrics(
            generation: generation, counters: observer.poolCounters, tally: tally, queue: observer.queue())
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
        guard let name = Self.allCases.first(where: { $0.isNamed(value) }) else { return nil }
        self = name
    }

    /// Compares bytes, so that no string is made for each request.
    private func isNamed(_ value: Span<UInt8>) -> Bool {
        let name = rawValue.utf8
        guard name.count == value.count else { return false }
        var index = 0
        for byte in name {
            guard byte == value[index] else { return false }
            index += 1
        }
        return true
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

    /// The response with status 500 for an internal error that occurs before a handler exists.
    package static let internalFault = GatewayResponse(.internalFault)
}

extension Generation {
    /// Returns the verification policy of the configuration: the apps, their environments, and the anchors that vouch
    /// for them.
    func verificationPolicy() throws(AnchorError) -> VerificationPolicy {
        try configuration.verificationPolicy(anchors: manifest.anchors)
    }

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
