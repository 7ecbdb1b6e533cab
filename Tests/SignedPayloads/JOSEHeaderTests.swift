import AppStoreTraffic
import Cryptography
import Support
import Testing

@testable import SignedPayloads

@Suite("A JOSE header")
struct JOSEHeaderTests {
    private static let sound = String(
        decoding: SignedRequestBuilder.header(x5c: [Self.der(5), Self.der(200), Self.der(900)]), as: UTF8.self
    )

    /// Returns base64 of bytes that have the outer shape of a certificate.
    private static func der(_ count: Int) -> String {
        var bytes: [UInt8] = [0x30, 0x82, UInt8((count + 256) >> 8), UInt8((count + 256) & 0xFF)]
        for index in 0..<(count + 256) { bytes.append(UInt8(truncatingIfNeeded: index &* 7)) }
        return String(decoding: Base64.encode(bytes.span), as: UTF8.self)
    }

    static let others: [(change: @Sendable (String) -> String, refusal: Refusal?)] = [
        ({ $0 }, nil),
        ({ $0 + " \t\r\n" }, nil),
        ({ " " + $0 }, nil),
        ({ $0.replacing(":", with: " : ").replacing(",", with: "\n, ") }, nil),
        ({ $0.replacing(#""alg":"ES256","#, with: "").replacing("]}", with: #"],"alg":"ES256"}"#) }, nil),
        ({ $0.replacing("]}", with: #"],"alg":"ES256"}"#) }, .headerNotJSON),
        ({ $0.replacing(#""alg":"ES256","#, with: "") }, .algorithmMissing),
        ({ "\u{FEFF}" + $0 }, .headerNotJSON),
        ({ $0 + "{}" }, .headerNotJSON),
        ({ $0.replacing("{", with: "{\u{0B}") }, .headerNotJSON),
        ({ $0.replacing(#""alg""#, with: #""kid":"K","alg""#) }, nil),
        ({ $0.replacing(#"["MI"#, with: #"["\u004dI"#) }, nil),
        ({ $0.replacing(#"["MI"#, with: #"["M"#) }, .x5cNotBase64),
        ({ $0.replacing(#"["MI"#, with: "[\"\u{7F}I") }, .x5cNotBase64),
        ({ $0.replacing(#"["MI"#, with: #"["é"#) }, .x5cNotBase64),
        ({ $0.replacing(#"["MI"#, with: "[\"\n") }, .headerNotJSON),
        ({ $0.replacing(#"["MI"#, with: #"["TI"#) }, .x5cNotDER),
        ({ $0.replacing(#"]}"#, with: #","MII="]}"#) }, .x5cCount),
        ({ $0.replacing(#"["MI"#, with: #"["","MI"#) }, .x5cCount),
        ({ $0.replacing(#"]}"#, with: #"],"x5c":[]}"#) }, .headerNotJSON),
        ({ $0.replacing(#"]}"#, with: #"],"crit":["b64"]}"#) }, .criticalHeader),
        ({ $0.replacing("ES256", with: "ES384") }, .algorithmNotES256),
        ({ String($0.dropLast()) }, .headerNotJSON),
        ({ String($0.dropLast(2)) }, .headerNotJSON),
        ({ String($0.dropLast(3)) }, .headerNotJSON),
        ({ _ in #"{"alg":"ES256","x5c":["","",""]}"# }, .x5cNotDER),
        ({ _ in #"{"alg":"ES256","x5c":["a","",""]}"# }, .x5cNotBase64),
        ({ _ in #"{"alg":"ES256","x5c":["# }, .headerNotJSON),
        ({ _ in #"{"alg":"ES256","x5c":[""# }, .headerNotJSON),
        ({ _ in "" }, .headerNotJSON),
    ]

    @Test("gives its certificates, or the refusal of the first flaw", arguments: others.indices)
    func outcomes(index: Int) throws {
        let (change, expected) = Self.others[index]
        let text = Array(change(Self.sound).utf8)
        do throws(Refusal) {
            let certificates = try JOSEHeader(text.span).chain.certificates
            #expect(expected == nil && certificates.map(\.count) == [265, 460, 1160])
        } catch {
            #expect(error == expected)
        }
    }
}
