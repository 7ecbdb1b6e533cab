package import AppStoreSimulator
import CertificateAuthority
package import Cryptography

package struct TestSigner: Sendable {
    package let chain: AppleShapedChain
    package let key: SigningKey

    package init(_ chain: AppleShapedChain) throws {
        self.chain = chain
        key = try chain.leaf.key.signingKey()
    }

    package var header: TestObject { Self.header(x5c: chain.x5c) }

    /// Returns a header with these entries in `x5c`. They are written without escapes.
    package static func header(x5c: [String]) -> TestObject {
        TestObject([
            ("alg", "\"ES256\""), ("x5c", "[\(x5c.map { "\"\($0)\"" }.joined(separator: ","))]"),
        ])
    }

    /// Returns a signed token of `payload`, with this chain's header unless another header is given.
    package func token(_ payload: [UInt8], header: TestObject? = nil) throws -> [UInt8] {
        let input = Self.signingInput((header ?? self.header).text, payload)
        return try Self.token(input, signature: key.sign(input.span))
    }

    package func body(_ payload: TestObject) throws -> [UInt8] {
        Self.body(try token(payload.text))
    }

    package static func signingInput(_ header: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        Base64URL.encode(header.span) + [UInt8(ascii: ".")] + Base64URL.encode(payload.span)
    }

    package static func token(_ input: [UInt8], signature: [UInt8]) -> [UInt8] {
        input + [UInt8(ascii: ".")] + Base64URL.encode(signature.span)
    }

    package static func body(_ token: [UInt8]) -> [UInt8] {
        Array(#"{"signedPayload":""#.utf8) + token + Array(#""}"#.utf8)
    }
}

/// The members of a signed payload or of a JOSE header as JSON text, so that tests can write what no serializer would:
/// wrong types, repeated names, numbers beyond Int64.
package struct TestObject: Sendable, Hashable {
    package var members: [(name: String, json: String)] = []

    package init(_ members: [(name: String, json: String)]) {
        self.members = members
    }

    /// Returns the object with the JSON of one member replaced, or with the member added when no member has that name.
    package func setting(_ name: String, _ json: String) -> TestObject {
        var copy = self
        if let index = copy.members.firstIndex(where: { $0.name == name }) {
            copy.members[index].json = json
        } else {
            copy.members.append((name, json))
        }
        return copy
    }

    package func removing(_ name: String) -> TestObject {
        var copy = self
        copy.members.removeAll { $0.name == name }
        return copy
    }

    package func adding(_ name: String, _ json: String) -> TestObject {
        var copy = self
        copy.members.append((name, json))
        return copy
    }

    package var text: [UInt8] {
        Array("{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}".utf8)
    }

    package static func == (left: TestObject, right: TestObject) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

package enum TestPayload {
    package static let appAppleId: Int64 = 6_745_974_591
    /// A configured app that trusts its own anchor instead.
    package static let strictAppAppleId: Int64 = 6_745_974_592
    /// An app that is not configured.
    package static let foreignAppAppleId: Int64 = 531_412
    package static let silentProduct = "com.example.silent"

    /// Returns a sound request, signed at `signedDate`, milliseconds since 1970.
    package static func request(signedDate: Int64, identifier: Int = 1) -> TestObject {
        let digits = String(UInt32(truncatingIfNeeded: identifier), radix: 16)
        let tail = String(repeating: "0", count: 8 - digits.count) + digits
        return TestObject([
            ("originalTransactionId", "\"\(2_000_000_000 + identifier)\""),
            ("appAppleId", "\(appAppleId)"),
            ("productId", "\"pro_monthly\""),
            ("userLocale", "\"en-US\""),
            ("requestIdentifier", "\"3db5c98d-8acf-4e29-831e-8e1f\(tail)\""),
            ("environment", "\"Production\""),
            ("signedDate", "\(signedDate)"),
        ])
    }
}
