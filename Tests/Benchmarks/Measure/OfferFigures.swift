internal import Answers
internal import BenchmarkStatistics
internal import Cryptography
internal import DataFiles
internal import Decisions
internal import OfferSigning
internal import RulesCompiler
internal import SignedPayloads
internal import System

/// Measures the cost of an answer that is signed for its request.
struct OfferFigures {
    private let plan: Plan
    private let inProcess: InProcess
    private let keyFile: String

    init(_ plan: Plan, _ inProcess: InProcess) throws {
        self.plan = plan
        self.inProcess = inProcess
        keyFile = plan.workspace.path(of: "signing.p8")
        try plan.workspace.write(SigningKey.generate().pem(), to: "signing.p8", permissions: 0o600)
    }

    func measure() throws -> [Figure] {
        CryptographyLibrary.protectKeys()
        return try [signedOffer(.v2), signedOffer(.v1)] + served()
    }

    private func signer(_ form: OfferSignature) throws -> OfferSigner {
        let text = try Workspace.read(keyFile)
        return try OfferSigner(
            key: try SigningKey(p8: text.span), keyId: "2X9R4HXF34",
            issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: Traffic.bundleId, form: form)
    }

    /// Measures verify, decide, sign and encode, compared with one bare verification and one bare signature of as many
    /// bytes.
    private func signedOffer(_ form: OfferSignature) throws -> Figure {
        let traffic = inProcess.traffic
        let verifier = try inProcess.verifier()
        let rules = try RulesCompiler.resolve(CompiledRules.offer()).file
        let signer = try signer(form)
        let verification = try BareVerification(bodies: traffic.bodiesFile, leaf: traffic.leafFile)
        let signature = try BareSignature(key: keyFile)
        let count = 2048
        var next = 0
        _ = try answer(traffic.bodies[0], verifier, rules, signer)
        let values = try Rounds.measure(
            inProcess.pairs,
            [
                { () throws in
                    let start = Clock.threadProcessorNanoseconds()
                    for index in next..<next + count {
                        _ = try answer(traffic.bodies[index % traffic.bodies.count], verifier, rules, signer)
                    }
                    return Double(Clock.threadProcessorNanoseconds() - start) / Double(count) / 1000
                },
                { () throws in
                    defer { next += count }
                    // V2 signs the text of a JWS, 450 bytes; V1 signs a shorter text, 170 bytes.
                    return try verification.microseconds(first: next, count: count)
                        + signature.microseconds(byteCount: form == .v2 ? 450 : 170, count: count)
                },
            ]
        )
        return try inProcess.figure(
            "processor time of a signed offer (\(form.rawValue.uppercased())), over one bare check and one bare signature",
            values, bar: .atMost(1.15))
    }

    private func answer(
        _ body: [UInt8], _ verifier: SignedPayloadVerifier, _ rules: RulesFile, _ signer: OfferSigner
    ) throws -> Int {
        let now = Clock.wallMilliseconds()
        let payload = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: now).payload
        let signed = decideAndSign(
            DecisionRequest(
                appAppleId: payload.appAppleId, environment: payload.environment,
                productId: payload.productId, userLocale: payload.userLocale,
                originalTransactionId: payload.originalTransactionId, nowMilliseconds: now),
            facts: .none(ageSeconds: nil), using: rules, signer: signer)
        let answer = Answer(serving: signed.outcome)
        guard answer.status == 200, signed.outcome?.kind == .offer else {
            throw Failure("no offer was signed")
        }
        return answer.body.count
    }

    /// Measures signed offers and text messages in turn, through nginx.
    private func served() throws -> [Figure] {
        let traffic = inProcess.traffic
        func server(_ name: String, _ rules: [UInt8]) throws -> (pool: Pool, server: Server) {
            let pool = try Pool(
                plan, name: name, anchors: traffic.anchorFile, rules: rules, signingKey: keyFile)
            let gateway = try Gateway("\(name)-nginx", plan, socket: pool.socket, upstream: .shipped)
            return (pool, Server(gateway, plan, requests: traffic.requestsFile) { try pool.workers() })
        }
        let offers = try server("offers", CompiledRules.offer())
        let texts = try server("texts", CompiledRules.small(generation: 0))
        defer {
            for running in [offers, texts] {
                running.server.gateway.stop()
                running.pool.stop()
            }
        }
        var workers: [[Double]] = [[], []]
        var failed = 0.0
        func rate(_ server: Server, _ index: Int) throws -> Double {
            let run = try server.saturate(seconds: 2, first: 0)
            workers[index].append(run.worker)
            failed += run.load.failed
            return run.load.rate
        }
        let values = try Rounds.measure(
            inProcess.pairs,
            [{ () throws in try rate(offers.server, 0) }, { () throws in try rate(texts.server, 1) }]
        )
        guard let rate = PairedSample(subject: values[0], reference: values[1]),
            let cost = PairedSample(subject: workers[0], reference: workers[1])
        else { throw Failure("no sample") }
        let number = FigureTable.number
        return [
            Figure(
                "requests per second with signed offers, over those with texts", rate.ratios, unit: "ratio",
                bar: .reported,
                remark: "\(number(rate.subject.median))/s over \(number(rate.reference.median))/s"),
            Figure(
                "processor time of a worker for a signed offer, over that for a text", cost.ratios,
                unit: "ratio", bar: .reported,
                remark: "\(number(cost.subject.median)) µs over \(number(cost.reference.median)) µs"),
            Figure(
                "requests for signed offers and texts that were not answered with 200", value: failed,
                unit: "requests", bar: .atMost(0)),
        ]
    }
}
