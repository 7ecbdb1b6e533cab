import Cryptography
import SignedPayloads
import Support
import Testing

@Suite("Apple's real chain under the policy")
struct AppleChainTests {
    static let june2026: Int64 = 1_780_272_000_000
    static let july2023: Int64 = 1_689_984_000_000

    @Test("the built-in anchors are G3 and G2, by fingerprint")
    func roots() throws {
        let fingerprints = try AppleRoots.certificates().map(\.fingerprint.hexadecimal)
        #expect(fingerprints == [AppleRoots.g3Fingerprint, AppleRoots.g2Fingerprint])
        #expect(AppleRoots.g3Fingerprint.hasPrefix("63343abfb89a6a03"))
        #expect(AppleRoots.g2Fingerprint.hasPrefix("c2b9b042dd57830e"))
    }

    @Test(
        "is accepted while all of its certificates are valid, and only then",
        arguments: [
            (AppleCertificates.leaf2025, june2026, nil),
            (.leaf2025, july2023, Refusal.certificateNotYetValid),
            (.leaf2021, july2023, nil),
            (.leaf2021, june2026, .certificateExpired),
            // The last second of notAfter still counts, the next does not (RFC 5280 section 4.1.2.5).
            (.leaf2021, 1_695_523_833_999, nil),
            (.leaf2021, 1_695_523_834_000, .certificateExpired),
            (.leaf2021, 1_629_859_834_000, nil),
            (.leaf2021, 1_629_859_833_999, .certificateNotYetValid),
        ] as [(AppleCertificates, Int64, Refusal?)]
    )
    func validity(leaf: AppleCertificates, milliseconds: Int64, refusal: Refusal?) throws {
        let chain = try Self.chain(leaf, .intermediateG6, .rootG3)
        let verifier = try SignedPayloadVerifier(policy: Self.policy())
        // The second check finds the chain in memory; it must compare the validity with the time again.
        for _ in 0..<2 { try check(chain, with: verifier, at: milliseconds, refusal: refusal) }
    }

    @Test(
        "is refused when a certificate is in the wrong place",
        arguments: [
            ([AppleCertificates.leaf2025, .intermediateG6, .intermediateG6], Refusal.anchorUnknown),
            ([.leaf2025, .intermediateG6, .rootG2], .chainInvalid),
            ([.leaf2025, .rootG3, .rootG3], .chainInvalid),
            ([.intermediateG6, .rootG3, .rootG3], .chainInvalid),
            ([.intermediateG6, .leaf2025, .rootG3], .chainInvalid),
            ([.rootG3, .rootG3, .rootG3], .chainInvalid),
        ]
    )
    func wrongPlace(certificates: [AppleCertificates], refusal: Refusal) throws {
        let verifier = try SignedPayloadVerifier(policy: Self.policy())
        let chain = try Self.chain(certificates[0], certificates[1], certificates[2])
        for _ in 0..<2 { try check(chain, with: verifier, at: Self.june2026, refusal: refusal) }
    }

    @Test("can be written and read as a hint, and a verifier accepts the hint")
    func hint() throws {
        let chain = try Self.chain(.leaf2025, .intermediateG6, .rootG3)
        let first = try SignedPayloadVerifier(policy: Self.policy())
        #expect(first.warm(chain, nowMilliseconds: Self.june2026))
        #expect(first.takeVerifiedChain() == nil, "a chain that came as a hint becomes a hint again")
        let bytes = chain.serialized
        let read = ChainBytes(serialized: bytes.span)
        let handed = try #require(read)
        #expect(handed == chain)
        for length in [0, 3, 4, bytes.count - 1] {
            let cut = Array(bytes.prefix(length))
            #expect(ChainBytes(serialized: cut.span) == nil)
        }
        let longer = bytes + [0]
        #expect(ChainBytes(serialized: longer.span) == nil)
        let second = try SignedPayloadVerifier(
            policy: Self.policy(unseen: ChainBudget(burst: 1, perSecond: 0))
        )
        #expect(second.warm(handed, nowMilliseconds: Self.june2026))
        try check(chain, with: second, at: Self.june2026, refusal: nil)
    }

    private func check(
        _ chain: ChainBytes, with verifier: SignedPayloadVerifier, at milliseconds: Int64, refusal: Refusal?
    ) throws {
        if let refusal {
            #expect(verifier.refusal(of: chain, at: milliseconds) == refusal)
        } else {
            let anchor = try verifier.verifyChain(chain, atMilliseconds: milliseconds)
            #expect(anchor.hexadecimal == AppleRoots.g3Fingerprint)
        }
    }

    private static func chain(
        _ leaf: AppleCertificates, _ intermediate: AppleCertificates, _ root: AppleCertificates
    ) throws -> ChainBytes {
        try #require(ChainBytes(certificates: [leaf, intermediate, root].map { try $0.certificate().der }))
    }

    private static func policy(unseen: ChainBudget = .unlimited) throws -> VerificationPolicy {
        VerificationPolicy(
            anchors: try AppleRoots.certificates(), apps: [], unseenChains: unseen,
            returningChains: ChainBudget(burst: 0, perSecond: 0))
    }
}
