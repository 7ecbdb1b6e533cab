import AppStoreSimulator
import Cryptography
import SignedPayloads
import Support
import System
import Testing

@Suite("A sound request")
struct VerifiedRequestTests {
    @Test("becomes a typed request that names its anchor")
    func typed() throws {
        let body = try SignedBody.make()
        let verifier = try PolicyCase.verifier()
        let first = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: TestPKI.now)
        #expect(!first.chainWasCached)
        #expect(first.anchor == (try TestPKI.anchor().fingerprint))
        let request = first.payload
        #expect(request.originalTransactionId == "99371282")
        #expect(request.appAppleId == 531_412)
        #expect(request.productId == "com.example.product")
        #expect(request.userLocale == "en-US")
        #expect(request.requestIdentifier.description == "3db5c98d-8acf-4e29-831e-000000000001")
        #expect(request.environment == .sandbox)
        #expect(request.signedDate == TestPKI.now)
        let second = try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: TestPKI.now)
        #expect(second.chainWasCached)
        #expect(second.payload == request)
    }

    @Test(
        "is accepted in every JSON form of its body",
        arguments: [
            { $0 },
            { Array(" \n".utf8) + $0 + Array("\r\n\t ".utf8) },
            { bytes in
                Array(#"{"x":1,"signedPayload":"#.utf8) + bytes.dropFirst(17).dropLast(1)
                    + Array(#","y":"z"}"#.utf8)
            },
            { bytes in
                Array(#"{"signedPayload":""#.utf8) + bytes.dropFirst(18).dropLast(1)
                    + Array(#","other":"b"}"#.utf8)
            },
            { bytes in
                // Every dot is written as an escape.
                Array(
                    String(decoding: bytes, as: UTF8.self).split(separator: ".").joined(separator: "\\u002e")
                        .utf8
                )
            },
        ] as [@Sendable ([UInt8]) -> [UInt8]]
    )
    func forms(form: @Sendable ([UInt8]) -> [UInt8]) throws {
        try PolicyCase.check(form(SignedBody.make()), nil)
    }

    @Test("may have unknown members, an expiry, which has no effect here, and any locale")
    func tolerated() throws {
        for appended in [("exp", "1"), ("new", #"{"a":[1]}"#), ("iat", "1.5"), ("bundleId", "null")] {
            try PolicyCase.check(SignedBody.make(SignedBody.payload().with { $0.appended = [appended] }), nil)
        }
        try PolicyCase.check(SignedBody.make(SignedBody.payload().with { $0.userLocale = "en_US" }), nil)
    }

    @Test("is refused when any single byte of it is changed")
    func everyByte() throws {
        let body = try SignedBody.make()
        let verifier = try PolicyCase.verifier { $0.unseenChains = .unlimited }
        try PolicyCase.check(body, nil, with: verifier)
        // Every byte of payload and signature, and every 16th byte of the long header.
        let dots = body.indices.filter { body[$0] == UInt8(ascii: ".") }
        let positions = body.indices.filter { $0 % 16 == 0 || $0 > dots[0] - 40 }
        for position in positions {
            var changed = body
            changed[position] ^= 1
            #expect(verifier.refusal(of: changed, at: TestPKI.now) != nil, "byte \(position)")
        }
    }
}
