import CertificateAuthority
import SignedPayloads
import Support
import Testing

@Suite("Attacks as the load tests send them")
struct AttackTests {
    @Test("are another chain each time and are refused only for who signed", arguments: Attack.allCases)
    func variants(attack: Attack) throws {
        let forge = try ZooTests.forge.get()
        let template = try attack.template(forge, path: "/")
        let patch = template.patch
        let verifier = try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: [forge.trusted.chain.root.certificate()],
                apps: [],
                unseenChains: .unlimited,
                knownIntermediates: .unlimited
            )
        )
        var seen: Set<[UInt8]> = []
        for number in 0..<40 {
            var request = template.request
            patch(number, &request)
            seen.insert(request)
            let start = try #require(request.firstIndex(of: UInt8(ascii: "{")))
            let body = Array(request[start...])
            #expect(throws: attack == .ownRoot ? Refusal.anchorUnknown : .chainInvalid) {
                _ = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: forge.now)
            }
            let detail = verifier.detail(of: .chainInvalid) ?? ""
            let depth = attack == .junkLeaf ? 0 : 1
            #expect(
                attack == .ownRoot || detail == "certificate signature failure (at depth \(depth))",
                "\(detail)"
            )
        }
        #expect(seen.count == 40)
    }
}
