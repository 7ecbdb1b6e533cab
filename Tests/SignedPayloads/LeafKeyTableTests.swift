import AppStoreTraffic
import Support
import Testing

@testable import Cryptography
@testable import SignedPayloads

@Suite("The table of a leaf's key")
struct LeafKeyTableTests {
    /// Verifies the JWS `count` times. Returns whether the key of its chain then has a table.
    private static func hasTable(after count: Int, _ text: [UInt8], _ verifier: SignedPayloadVerifier) throws
        -> Bool
    {
        var hasTable = false
        for _ in 0..<count {
            let signed = try verifier.verifySignature(of: text.span, nowMilliseconds: TestPKI.now)
            _ = verifier.accept(signed, of: text.span)
            hasTable = signed.chain.key.table != nil
        }
        return hasTable
    }

    @Test("comes after a thousand payloads when the policy says so, for the leaf that has signed them alone")
    func policies() throws {
        let count = ES256Verifier.signaturesBeforeTable
        let text = try SignedBody.compact()
        let verifier = try PolicyCase.verifier { $0.makesKeyTables = true }
        #expect(try !Self.hasTable(after: count - 1, text, verifier))
        #expect(try Self.hasTable(after: 1, text, verifier))
        let other = try SignedBody.compact(chain: TestPKI.chain(leaf: { _ in }))
        #expect(try !Self.hasTable(after: 1, other, verifier))
        #expect(try !Self.hasTable(after: count + 1, text, PolicyCase.verifier()))
    }

    @Test("lets the verifier accept and refuse as before")
    func verdicts() throws {
        let verifier = try PolicyCase.verifier { $0.makesKeyTables = true }
        #expect(try Self.hasTable(after: ES256Verifier.signaturesBeforeTable, SignedBody.compact(), verifier))
        for number in 2..<200 as Range<UInt64> {
            let text = try SignedBody.compact(SignedBody.payload(number: number))
            #expect(throws: Never.self) {
                try verifier.verifyRealtimeRequest(compact: text.span, nowMilliseconds: TestPKI.now)
            }
            // The signature is the last 86 characters; the last one of them has unused bits.
            var changed = text
            let place = changed.count - 2 - Int(number % 80)
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let error = #expect(throws: VerificationError.self) {
                try verifier.verifyRealtimeRequest(compact: changed.span, nowMilliseconds: TestPKI.now)
            }
            #expect(error?.refusal == .signatureInvalid)
        }
    }
}
