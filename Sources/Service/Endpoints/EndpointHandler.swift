public import FastCGI
internal import Answers
public import Loader
public import Logging
internal import SignedPayloads
internal import System
public import Telemetry

/// Answers one request at a time with the one generation it was made with. Belongs to one thread.
public final class EndpointHandler {
    let generation: Generation
    let verifier: SignedPayloadVerifier
    let observer: RequestObserver

    /// Prepares the policy's anchors and the memories of this thread.
    ///
    /// - Throws: `anchors-none`, `anchors-unusable`.
    public init(
        generation: Generation,
        observer: RequestObserver
    ) throws(AnchorError) {
        self.generation = generation
        self.observer = observer
        verifier = try SignedPayloadVerifier(policy: generation.verificationPolicy)
    }

    /// The answer to `request`. Never fails: what goes wrong is an answer too.
    public func handle(_ request: inout some GatewayRequest & ~Copyable) -> GatewayResponse {
        let endpoint = request.withParameter("RETENTION_ENDPOINT") { value -> EndpointName? in
            guard let value else { return nil }
            return EndpointName(value)
        }
        switch endpoint {
        case .retentionMessage: return retentionMessage(&request)
        case .ping: return ping(&request)
        case .status: return status(&request)
        case nil:
            observer.endpointUnknown()
            return GatewayResponse(.endpointUnknown)
        }
    }
}
