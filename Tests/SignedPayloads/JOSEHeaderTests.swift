import AppStoreTraffic
import Cryptography
import Support
import Testing

import FuzzBodies
@testable import SignedPayloads

@Suite("A JOSE header")
struct JOSEHeaderTests {
    private static let sound = String(
        decoding: SignedRequestBuilder.header(x5c: [Self.der(5), Self.der(200), Self.der(900)]),
        as: UTF8.self
    )

    /// Returns base64 of bytes that have the outer shape of a certificate.
    private static func der(_ count: Int) -> String {
        var bytes: [UInt8] = [0x30, 0x82, UInt8((count + 256) >> 8), UInt8((count + 256) & 0xFF)]
        for index in 0..<(count + 256) { bytes.append(UInt8(truncatingIfNeeded: index &* 7)) }
        return String(decoding: Base64.encode(bytes.span), as: UTF8.self)
    }

    @Test("in Apple's exact form is read without a parser")
    func exactForm() throws {
        let text = Array(Self.sound.utf8)
        let certificates = try JOSEHeader.certificates(inExactForm: text.span) ?? []
        #expect(certificates.map(\.count) == [265, 460, 1160])
    }

    static let others: [(change: @Sendable (String) -> String, isExact: Bool, refusal: Refusal?)] = [
        ({ $0 }, true, nil),
        ({ $0 + " \t\r\n" }, true, nil),
        ({ " " + $0 }, true, nil),
        ({ $0.replacing(":", with: " : ").replacing(",", with: "\n, ") }, true, nil),
        (
            { $0.replacing(#""alg":"ES256","#, with: "").replacing("]}", with: #"],"alg":"ES256"}"#) }, true,
            nil
        ),
        ({ $0.replacing("]}", with: #"],"alg":"ES256"}"#) }, false, .headerNotJSON),
        ({ $0.replacing(#""alg":"ES256","#, with: "") }, false, .algorithmMissing),
        ({ "\u{FEFF}" + $0 }, false, .headerNotJSON),
        ({ $0 + "{}" }, false, .headerNotJSON),
        ({ $0.replacing("{", with: "{\u{0B}") }, false, .headerNotJSON),
        ({ $0.replacing(#""alg""#, with: #""kid":"K","alg""#) }, false, nil),
        ({ $0.replacing(#"["MI"#, with: #"["\u004dI"#) }, false, nil),
        ({ $0.replacing(#"["MI"#, with: #"["M"#) }, false, .x5cNotBase64),
        ({ $0.replacing(#"["MI"#, with: "[\"\u{7F}I") }, false, .x5cNotBase64),
        ({ $0.replacing(#"["MI"#, with: #"["é"#) }, false, .x5cNotBase64),
        ({ $0.replacing(#"["MI"#, with: "[\"\n") }, false, .headerNotJSON),
        ({ $0.replacing(#"["MI"#, with: #"["TI"#) }, true, .x5cNotDER),
        ({ $0.replacing(#"]}"#, with: #","MII="]}"#) }, false, .x5cCount),
        ({ $0.replacing(#"["MI"#, with: #"["","MI"#) }, false, .x5cCount),
        ({ $0.replacing(#"]}"#, with: #"],"x5c":[]}"#) }, false, .headerNotJSON),
        ({ $0.replacing(#"]}"#, with: #"],"crit":["b64"]}"#) }, false, .criticalHeader),
        ({ $0.replacing("ES256", with: "ES384") }, false, .algorithmNotES256),
        ({ String($0.dropLast()) }, false, .headerNotJSON),
        ({ String($0.dropLast(2)) }, false, .headerNotJSON),
        ({ String($0.dropLast(3)) }, false, .headerNotJSON),
        ({ _ in #"{"alg":"ES256","x5c":["","",""]}"# }, true, .x5cNotDER),
        ({ _ in #"{"alg":"ES256","x5c":["a","",""]}"# }, false, .x5cNotBase64),
        ({ _ in #"{"alg":"ES256","x5c":["# }, false, .headerNotJSON),
        ({ _ in #"{"alg":"ES256","x5c":[""# }, false, .headerNotJSON),
        ({ _ in "" }, false, .headerNotJSON),
    ]

    @Test("is read the same with and without a parser", arguments: others.indices)
    func agreement(index: Int) throws {
        let (change, isExact, expected) = Self.others[index]
        let text = Array(change(Self.sound).utf8)
        let exact = try? JOSEHeader.certificates(inExactForm: text.span)
        #expect((exact != nil) == isExact)
        let isAlike = SignedPayloadsFuzz.isReadAlike(text.span)
        #expect(isAlike)
        var found: Refusal?
        do throws(Refusal) { _ = try JOSEHeader(text.span) } catch { found = error }
        #expect(found == expected)
    }

    @Test("is read the same with and without a parser after one byte is changed or removed")
    func everyByte() {
        let text = Array(#"{"alg":"ES256","x5c":["MAA=","MAEB","MAEC"]}"#.utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var other = text
                other[index] = byte
                let isAlike = SignedPayloadsFuzz.isReadAlike(other.span)
                #expect(isAlike, "\(index) \(byte)")
            }
            var shorter = text
            shorter.remove(at: index)
            let isAlike = SignedPayloadsFuzz.isReadAlike(shorter.span)
            #expect(isAlike, "\(index)")
        }
    }
}
