import AppStoreSimulator
import CertificateAuthority
import SignedPayloads
import Support
import System
import Testing

@Suite("Attacks as the load tests send them")
struct AttackTests {
    @Test("are new chains each time, refused only for anchor or signature", arguments: Attack.allCases)
    func variants(attack: Attack) throws {
        let forge = try ZooTests.forge.get()
        let template = try attack.template(forge, path: "/")
        let patch = template.patch
        let verifier = try SignedPayloadVerifier(
            policy: VerificationPolicy(
                anchors: [forge.trusted.chain.root.certificate()], apps: [], unseenChains: .unlimited)
        )
        var seen: Set<[UInt8]> = []
        for number in 0..<40 {
            var request = template.request
            patch(number, &request)
            seen.insert(request)
            let start = try #require(request.firstIndex(of: UInt8(ascii: "{")))
            let body = Array(request[start...])
            let depth = attack == .junkLeaf ? 0 : 1
            let detail = "certificate signature failure (at depth \(depth))"
            // The second time, the refusal and its detail come from memory.
            for _ in 0..<2 {
                do throws(VerificationError) {
                    _ = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: forge.now)
                    Issue.record("an attack passed")
                } catch {
                    #expect(error.refusal == (attack == .ownRoot ? .anchorUnknown : .chainInvalid))
                    #expect(error.detail?.description == (attack == .ownRoot ? nil : detail))
                }
            }
        }
        #expect(seen.count == 40)
    }

    private static func junk(_ forge: ZooForge) throws -> (Int) throws -> [UInt8] {
        let template = try Attack.junkLeaf.template(forge, path: "/")
        let patch = template.patch
        return { number in
            var request = template.request
            patch(number, &request)
            let start = try #require(request.firstIndex(of: UInt8(ascii: "{")))
            return Array(request[start...])
        }
    }

    private static func verifier(_ forge: ZooForge, _ budget: ChainBudget) throws -> SignedPayloadVerifier {
        let identity = AppIdentity(
            appAppleId: TestPayload.appAppleId, bundleId: "com.example.app", environments: [.production])
        let policy = VerificationPolicy(
            anchors: [try forge.trusted.chain.root.certificate()], apps: [identity], unseenChains: budget)
        let verifier = try SignedPayloadVerifier(policy: policy)
        let body = try forge.body(forge.payload)
        _ = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: forge.now)
        return verifier
    }

    @Test("do not keep out a genuine new leaf that comes again, nor hints")
    func newLeaf() throws {
        let forge = try ZooTests.forge.get()
        let junk = try Self.junk(forge)
        let verifier = try Self.verifier(forge, ChainBudget(burst: 1, perSecond: 0))
        let body = try forge.body(leaf: forge.leaf())
        var outcomes: [String] = []
        for round in 0..<4 {
            for number in 0..<50 {
                let junkBody = try junk(round * 50 + number)
                do throws(VerificationError) {
                    _ = try verifier.verifyRealtimeRequest(body: junkBody.span, nowMilliseconds: forge.now)
                    Issue.record("junk passed")
                } catch {
                    #expect(error.refusal == .chainBudget)
                }
            }
            do throws(VerificationError) {
                _ = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: forge.now)
                outcomes.append("accepted")
            } catch {
                outcomes.append(error.code)
            }
        }
        #expect(outcomes == ["chain-budget", "accepted", "accepted", "accepted"])
        // A hint from another worker is verified even when the flood has used up the budget.
        let other = try forge.leaf()
        let (intermediate, root) = (forge.trusted.chain.intermediate, forge.trusted.chain.root)
        let hint = try #require(ChainBytes(certificates: [other.der, intermediate.der, root.der]))
        let isWarm = verifier.warm(hint, nowMilliseconds: forge.now)
        #expect(isWarm)
        let otherBody = try forge.body(leaf: other)
        let verified = try verifier.verifyRealtimeRequest(body: otherBody.span, nowMilliseconds: forge.now)
        #expect(verified.chainWasCached)
        // Hints have a limited budget, too, so they cannot cause verifications without end.
        var warmed = 0
        for _ in 0..<40 {
            let leaf = try forge.leaf()
            let next = try #require(ChainBytes(certificates: [leaf.der, intermediate.der, root.der]))
            if verifier.warm(next, nowMilliseconds: forge.now) { warmed += 1 }
        }
        #expect(warmed == 2 * SignedPayloadsLimits.hints - 1)
    }
}
