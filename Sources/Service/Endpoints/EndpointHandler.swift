internal import Answers
public import FastCGI
public import Loader
internal import OfferSigning
public import SignedPayloads
internal import System

/// Answers one request at a time with the one generation it was made with. Belongs to one thread.
public final class EndpointHandler {
    let generation: Generation
    let verifier: SignedPayloadVerifier
    let observer: RequestObserver
    let recorder: DecisionRecorder?
    /// Who signs, by app.
    let signers: [Int64: OfferSigner]

    /// Prepares the policy's anchors and the memories of this thread; decisions are recorded by `recorder`.
    ///
    /// - Throws: `anchors-none`, `anchors-damaged`, `anchors-unusable`.
    public init(
        generation: Generation,
        observer: RequestObserver,
        recorder: DecisionRecorder? = nil
    ) throws(AnchorError) {
        self.generation = generation
        self.observer = observer
        self.recorder = recorder
        signers = generation.offerSigners()
        verifier = try SignedPayloadVerifier(policy: generation.verificationPolicy())
    }

    /// The answer to `request`. Never fails: what goes wrong is an answer too.
    public func answer(_ request: inout some GatewayRequest & ~Copyable) -> GatewayResponse {
        let endpoint = request.withParameter("RETENTION_ENDPOINT") { value -> EndpointName? in
            guard let value else { return nil }
            return EndpointName(value)
        }
        switch endpoint {
        case .retentionMessage: return retentionMessage(&request)
        case .ping: return ping(request)
        case .status: return status(request)
        case nil:
            observer.began(at: request.acceptedMonotonicNanoseconds)
            return refuse(.endpointUnknown, request)
        }
    }

    /// Verifies a chain that another worker has verified: a hint, never trust. Bytes that are none are passed over.
    public func takeHint(_ hint: [UInt8]) {
        guard let chain = ChainBytes(serialized: hint.span) else { return }
        _ = verifier.warm(chain, nowMilliseconds: Clock.wallMilliseconds())
    }

    /// The next chain verified here that others should know of.
    public func nextHint() -> [UInt8]? { verifier.takeVerifiedChain()?.serialized }

    /// Counts what has happened on the connections and in the verifier, and writes the records of the answers that are
    /// out; the worker waits after this.
    public func turned(_ connections: FastCGICounts) {
        flushRecords()
        observer.observe(connections: connections, verifier: verifier.counts)
        observer.waits()
    }

    /// Writes the records of the answers that are out.
    public func flushRecords() {
        recorder?.flush()
        if recorder?.shouldTellOfDrops() == true { observer.recordsDropped() }
    }

    /// Opens the file of the decision records anew; when that fails, the log says so.
    public func reopenLogs() {
        do throws(SystemCallError) {
            try recorder?.reopen()
        } catch {
            observer.logsNotReopened(error)
        }
    }

    /// Shows that the worker is about to leave.
    public func leaves() { observer.leaves() }

    /// Refuses and logs, for those who only look: they are no requests that are counted.
    func turnAway(
        _ problem: Problem,
        _ request: borrowing some GatewayRequest & ~Copyable,
        fields: [HeaderField] = []
    ) -> GatewayResponse {
        observer.turnedAway(problem, requestID: Self.requestID(request))
        return GatewayResponse(problem, fields: fields)
    }

    /// Refuses, counts and logs.
    func refuse(
        _ problem: Problem,
        _ request: borrowing some GatewayRequest & ~Copyable,
        fields: [HeaderField] = [],
        detail: String? = nil
    ) -> GatewayResponse {
        let identifier = Self.requestID(request)
        observer.refused(problem, detail: detail, requestID: identifier)
        return GatewayResponse(problem, fields: fields)
    }

    /// nginx's `$request_id`, for the log.
    static func requestID(_ request: borrowing some GatewayRequest & ~Copyable) -> String {
        request.withParameter("REQUEST_ID") { value in
            guard let value, value.count <= 64 else { return "" }
            var text: [UInt8] = []
            for index in value.indices { text.append(value[index]) }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
