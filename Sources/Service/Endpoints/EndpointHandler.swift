internal import Answers
public import FastCGI
public import Loader
internal import OfferSigning
public import SignedPayloads
internal import System

/// Answers requests, one at a time, with the one generation that the handler was created with. Belongs to one thread.
///
///     let handler = try EndpointHandler(generation: generation, observer: observer, recorder: recorder)
///     let response = handler.answer(&request)
///     handler.finishRecords(within: 1000)
public final class EndpointHandler {
    let generation: Generation
    let verifier: SignedPayloadVerifier
    let observer: RequestObserver
    let recorder: DecisionRecorder?
    let tally: DecisionTally
    /// True while the answer that was made last is one to a request for a retention message.
    var isAnswerToMessageRequest = false
    /// The signer of each app that has a key, by `appAppleId`.
    let signers: [Int64: OfferSigner]

    /// Prepares the anchors of the verification policy and the caches of this thread. `recorder` records the decisions;
    /// nil means that no records are written.
    ///
    /// - Throws: `anchors-none`, `anchors-damaged`, `anchors-unusable`.
    public init(generation: Generation, observer: RequestObserver, recorder: DecisionRecorder? = nil)
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

    /// Returns the answer to `request`. This never fails: an error becomes an answer too.
    public func answer(_ request: inout some GatewayRequest & ~Copyable) -> GatewayResponse {
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
    public func takeHint(_ hint: [UInt8]) {
        guard let chain = ChainBytes(serialized: hint.span) else { return }
        _ = verifier.warm(chain, nowMilliseconds: Clock.wallMilliseconds())
    }

    /// Returns the next chain that this worker verified and that other workers should know of; nil when there is none.
    public func nextHint() -> [UInt8]? { verifier.takeVerifiedChain()?.serialized }

    /// Counts what has happened on the connections and in the verifier, and gives the decision records of the answers
    /// that have been sent to their log. The worker calls this before it waits.
    public func turnEnded(_ connections: FastCGICounts) {
        let now = Clock.monotonicNanoseconds()
        recorder?.flush()
        tally.flush()
        observer.observe(connections: connections, verifier: verifier.counts)
        observer.note(used: verifier.takeUsedCertificates(), atNanoseconds: now)
        observer.note(clockOffsets: verifier.takeSignedDateOffsets())
        observer.turnEnded(waitingCount: connections.waitingCount, atNanoseconds: now)
    }

    /// Counts how long it took to write an answer to nginx.
    public func sent(nanoseconds: UInt64) {
        if isAnswerToMessageRequest { observer.sent(nanoseconds: nanoseconds) }
    }

    /// Opens the files of the log lines and of the decision records again. A failure is logged.
    public func reopenLogs() {
        observer.reopenErrorLog()
        recorder?.reopen()
    }

    /// Marks the worker as draining, because it is about to leave.
    public func leaves() { observer.leaves() }

    /// Has every decision record written, once the worker has left. Logs it when that takes longer than `milliseconds`.
    public func finishRecords(within milliseconds: Int32) {
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

    /// Refuses a request for a retention message, or a request that names no endpoint. Counts the refusal and logs it.
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

    /// Returns true when the method is GET or HEAD.
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
