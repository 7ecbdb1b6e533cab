internal import CertificateAuthority
package import Cryptography
internal import JSON
package import System

/// Signs payloads as Apple's server does: ES256 with the chain in `x5c`. The header is encoded once.
package struct SignedRequestBuilder: Sendable {
    private let encodedHeader: [UInt8]
    private let key: SigningKey

    package init(chain: AppleShapedChain) throws(CryptographyError) {
        self.init(header: Self.header(x5c: chain.x5c), key: try chain.leaf.key.signingKey())
    }

    package init(header: [UInt8], key: SigningKey) {
        encodedHeader = Base64URL.encode(header.span)
        self.key = key
    }

    package static func header(x5c: [String], algorithm: String = "ES256", appended: [String] = []) -> [UInt8]
    {
        let certificates = JSONNode.array(x5c.map { .string($0) }).serialized()
        let algorithm = JSONNode.string(algorithm).serialized()
        var text = Array(#"{"alg":"#.utf8) + algorithm + Array(#","x5c":"#.utf8) + certificates
        for member in appended { text += Array(",\(member)".utf8) }
        return text + [UInt8(ascii: "}")]
    }

    package func compact(_ payload: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var text = signingInput(payload)
        let signature = try key.sign(text.span)
        text.append(UInt8(ascii: "."))
        text += Base64URL.encode(signature.span)
        return text
    }

    package func signingInput(_ payload: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(encodedHeader.count + payload.count * 4 / 3 + 128)
        text += encodedHeader
        text.append(UInt8(ascii: "."))
        text += Base64URL.encode(payload.span)
        return text
    }

    package func body(_ payload: RequestPayload) throws(CryptographyError) -> [UInt8] {
        Self.wrap(try compact(payload.json))
    }

    /// Returns `{"signedPayload":"…"}` with the JWS `compact` in it, the form that Apple sends.
    package static func wrap(_ compact: [UInt8]) -> [UInt8] {
        Array(#"{"signedPayload":""#.utf8) + compact + Array(#""}"#.utf8)
    }
}

/// Source: Apple, Get Retention Message, DecodedRealtimeRequestBody. A test can make any part of it wrong.
package struct RequestPayload: Sendable {
    package var originalTransactionId = "99371282"
    package var appAppleId: Int64
    package var productId: String
    package var userLocale = "en-US"
    package var requestIdentifier: UUID
    /// The environment: `Sandbox`, `Production`, or `LocalTesting` for a test authority.
    package var environment: String
    package var signedDate: Int64
    /// Members to replace or to add, as JSON texts; nil leaves the member out.
    package var overrides: [(name: String, json: String?)] = []
    package var appended: [(name: String, json: String)] = []

    package init(
        appAppleId: Int64, productId: String, environment: Environment, requestIdentifier: UUID,
        signedDate: Int64
    ) {
        self.appAppleId = appAppleId
        self.productId = productId
        self.environment = environment.rawValue
        self.requestIdentifier = requestIdentifier
        self.signedDate = signedDate
    }

    package var json: [UInt8] {
        var members = PayloadMembers()
        members.set("originalTransactionId", text: originalTransactionId)
        members.set("appAppleId", number: appAppleId)
        members.set("productId", text: productId)
        members.set("userLocale", text: userLocale)
        members.set("requestIdentifier", text: requestIdentifier.description)
        members.set("environment", text: environment)
        members.set("signedDate", number: signedDate)
        for change in overrides { members.set(change.name, json: change.json) }
        for member in appended { members.append(member.name, json: member.json) }
        return members.json
    }
}

extension UUID {
    /// Makes a UUID of version 4 (RFC 9562 section 5.4) from the numbers of a generator, which a seed may repeat.
    package init(randomFrom generator: inout some RandomNumberGenerator) {
        self.init(
            high: generator.next() & ~0xF000 | 0x4000, low: generator.next() & ~(0xC0 << 56) | 0x80 << 56)
    }
}

/// The members of a payload as JSON text, in the order in which they are written. A test can make any of them wrong.
package struct PayloadMembers: Sendable, Hashable, Codable {
    private struct Member: Sendable, Hashable, Codable {
        var name: String
        var json: String
    }

    private var members: [Member] = []

    package init() {}

    /// Writes a string. Replaces the member of that name in its place, or adds it; nil removes it.
    package mutating func set(_ name: String, text: String?) {
        set(name, json: text.map { Self.text(.string($0)) })
    }

    package mutating func set(_ name: String, number: Int64?) {
        set(name, json: number.map { String($0) })
    }

    package mutating func set(_ name: String, boolean: Bool?) {
        set(name, json: boolean.map { $0 ? "true" : "false" })
    }

    package mutating func set(_ name: String, texts: [String]?) {
        set(name, json: texts.map { Self.text(.array($0.map { .string($0) })) })
    }

    package mutating func set(_ name: String, members: PayloadMembers?) {
        set(name, json: members.map { String(decoding: $0.json, as: UTF8.self) })
    }

    package mutating func set(_ name: String, json: String?) {
        let index = members.firstIndex { $0.name == name }
        switch (index, json) {
        case (let index?, let json?): members[index].json = json
        case (let index?, nil): members.remove(at: index)
        case (nil, let json?): members.append(Member(name: name, json: json))
        case (nil, nil): break
        }
    }

    package mutating func append(_ name: String, json: String) {
        members.append(Member(name: name, json: json))
    }

    package func member(_ name: String) -> String? {
        members.first { $0.name == name }?.json
    }

    package var names: [String] { members.map(\.name) }

    package var json: [UInt8] {
        let texts = members.map { "\(Self.text(.string($0.name))):\($0.json)" }
        return Array("{\(texts.joined(separator: ","))}".utf8)
    }

    private static func text(_ node: JSONNode) -> String {
        String(decoding: node.serialized(), as: UTF8.self)
    }
}
