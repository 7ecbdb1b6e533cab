internal import Authoring
internal import CertificateAuthority
internal import Cryptography
internal import Reply
internal import Rules
internal import SignedPayloads
internal import System

/// Measures what one process needs for a request, without FastCGI and without nginx.
struct InProcess {
    let traffic: Traffic
    let pairs: Int
    private let rules: RulesFile

    init(_ traffic: Traffic, pairs: Int) throws {
        self.traffic = traffic
        self.pairs = pairs
        rules = try RulesCompiler.resolve(RulesSource.small()).file
    }

    func verifier() throws -> SignedPayloadVerifier {
        let anchors = [try traffic.root.certificate()]
        let app = AppIdentity(
            appAppleId: Traffic.appAppleId, bundleId: Traffic.bundleId, environments: [.sandbox])
        return try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: anchors, apps: [app], maxSignedAgeSeconds: 3600, unseenChains: .unlimited)
        )
    }

    /// Measures verify, decide and encode with a known chain, compared with the bare verification of the same bytes.
    func knownChain() throws -> Figure {
        let verifier = try verifier()
        let bare = try BareVerification(bodies: traffic.bodiesFile, leaf: traffic.leafFile)
        let count = 4096
        var next = 0
        // After the first request the chain is known.
        _ = try answer(traffic.bodies[0], verifier)
        let values = try Rounds.measure(
            pairs,
            [
                { () throws in
                    let start = threadProcessorNanoseconds()
                    for index in next..<next + count {
                        try answer(traffic.bodies[index % traffic.bodies.count], verifier)
                    }
                    return Double(threadProcessorNanoseconds() - start) / Double(count) / 1000
                },
                { () throws in
                    defer { next += count }
                    return try bare.microseconds(first: next, count: count)
                },
            ]
        )
        return try Figure(
            "processor time to verify, decide and encode, over one bare signature check", values[0],
            over: values[1], of: "µs", bar: .atMost(1.2))
    }

    /// Measures the first request of an unknown chain, compared with the same work in C.
    func unseenChain() throws -> Figure {
        let verifier = try verifier()
        let chains = try UnseenChains(bodies: traffic.unseenFile, root: traffic.rootFile)
        let count = traffic.unseen.count
        let values = try Rounds.measure(
            pairs,
            [
                { () throws in
                    let start = threadProcessorNanoseconds()
                    for body in traffic.unseen {
                        guard try !answer(body, verifier) else { throw Failure("a chain was remembered") }
                    }
                    return Double(threadProcessorNanoseconds() - start) / Double(count) / 1000
                },
                { () throws in try chains.microseconds(first: 0, count: count) },
            ]
        )
        return try Figure(
            "processor time of the first request of an unseen chain, over the same work in C", values[0],
            over: values[1], of: "µs", bar: .atMost(1.15))
    }

    /// Does the work of one request: verify, decide, encode. Returns true when the chain was already known.
    @discardableResult
    private func answer(_ body: [UInt8], _ verifier: SignedPayloadVerifier) throws -> Bool {
        let now = Clock.wallMilliseconds()
        let verified = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: now)
        let payload = verified.payload
        let decision = decide(
            DecisionRequest(
                appAppleId: payload.appAppleId, environment: payload.environment,
                productId: payload.productId, userLocale: payload.userLocale,
                originalTransactionId: payload.originalTransactionId, nowMilliseconds: now),
            facts: .none(ageSeconds: nil), using: rules)
        guard let outcome = SignedOutcome(unsigned: decision.outcome, in: rules),
            !outcome.json.isEmpty
        else { throw Failure("the rules served no message") }
        return verified.chainWasCached
    }
}
