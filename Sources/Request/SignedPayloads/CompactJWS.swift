internal import Cryptography
internal import JSON

/// The parts of a JWS in compact serialization (RFC 7515 section 3.1): their places in the text, and the decoded bytes.
struct CompactJWS {
    let headerEnd: Int
    let signingInputEnd: Int
    let payload: [UInt8]
    let signature: [UInt8]

    /// Splits `text` and decodes payload and signature. The header stays encoded, because the verifier compares a header
    /// that it has seen before instead of decoding it. Throws `jws-not-three-parts`, `jws-bad-base64url`.
    init(_ text: Span<UInt8>, knownHeaderEnd: Int? = nil) throws(Refusal) {
        let dot = UInt8(ascii: ".")
        guard let first = knownHeaderEnd ?? ByteComparison.firstIndex(of: dot, in: text, from: 0),
            let second = ByteComparison.firstIndex(of: dot, in: text, from: first + 1),
            ByteComparison.firstIndex(of: dot, in: text, from: second + 1) == nil
        else { throw .notThreeParts }
        var payload: [UInt8] = []
        var signature: [UInt8] = []
        guard Base64URL.decode(text.extracting(first + 1..<second), into: &payload),
            Base64URL.decode(text.extracting(second + 1..<text.count), into: &signature)
        else { throw .badBase64URL }
        headerEnd = first
        signingInputEnd = second
        self.payload = payload
        self.signature = signature
    }
}

/// The signer's certificates from a JOSE header (RFC 7515 section 4).
struct JOSEHeader {
    /// The certificates of `x5c`, decoded from base64 and not yet parsed.
    let chain: ChainBytes

    init(_ json: Span<UInt8>) throws(Refusal) {
        let limits = JSONLimits(
            byteCount: SignedPayloadsLimits.jsonByteCount, depth: SignedPayloadsLimits.jsonDepth)
        guard let document = try? JSONDocument(parsing: json, limits: limits), document.root.kind == .object
        else { throw .headerNotJSON }
        let root = document.root
        // RFC 7515 section 4.1.11: a critical header parameter that is not understood makes the JWS invalid. This
        // verifier understands none.
        guard root.member("crit") == nil else { throw .criticalHeader }
        // RFC 7797 section 6: an unencoded payload must be declared in crit. A sender who sets only b64 wants two
        // readers to see two different payloads.
        if let encoding = root.member("b64"), encoding.boolean != true { throw .criticalHeader }
        guard let algorithm = root.member("alg"), algorithm.kind == .string else { throw .algorithmMissing }
        let isES256 = algorithm.withUTF8 { name in ByteComparison.areEqual(name, "ES256".utf8Span.span) }
        guard isES256 == true else { throw .algorithmNotES256 }
        guard let entries = root.member("x5c"), entries.kind == .array else { throw .x5cMissing }
        for index in 0..<entries.count where entries.element(at: index)?.kind != .string { throw .x5cMissing }
        guard entries.count == SignedPayloadsLimits.chainLength else { throw .x5cCount }
        var certificates: [[UInt8]] = []
        for index in 0..<entries.count {
            let decoded = entries.element(at: index)?.withUTF8 { text in Base64.decode(text) }
            guard let der = decoded ?? nil else { throw .x5cNotBase64 }
            certificates.append(der)
        }
        for der in certificates {
            guard der.count <= SignedPayloadsLimits.certificateByteCount, Certificate.hasOuterShape(der.span)
            else { throw .x5cNotDER }
        }
        guard let chain = ChainBytes(certificates: certificates) else { throw .x5cCount }
        self.chain = chain
    }
}

/// Remembers the encoded headers of payloads that passed every check, each with its chain. A header that is known is
/// compared byte for byte instead of being decoded, which saves a tenth of a request.
struct HeaderMemory {
    private var headers: [(header: [UInt8], chain: TrustedChain)] = []

    mutating func find(_ text: Span<UInt8>) -> (header: [UInt8], chain: TrustedChain)? {
        for index in headers.indices {
            let known = headers[index]
            let count = known.header.count
            guard text.count > count, text[count] == UInt8(ascii: "."),
                ByteComparison.areEqual(text.extracting(first: count), known.header.span)
            else { continue }
            if index > 0 { headers.insert(headers.remove(at: index), at: 0) }
            return known
        }
        return nil
    }

    mutating func remember(_ header: Span<UInt8>, _ chain: TrustedChain) -> [UInt8] {
        let bytes = [UInt8](capacity: header.count) { output in
            for index in header.indices { output.append(header[index]) }
        }
        headers.insert((bytes, chain), at: 0)
        if headers.count > SignedPayloadsLimits.headers { headers.removeLast() }
        return bytes
    }
}

/// The three certificates of a chain as bytes. A request presents them in `x5c`, and workers send them to each other as
/// hints.
public struct ChainBytes: Sendable, Hashable {
    public let certificates: [[UInt8]]

    public init?(certificates: [[UInt8]]) {
        guard certificates.count == SignedPayloadsLimits.chainLength else { return nil }
        self.certificates = certificates
    }

    public init?(serialized bytes: Span<UInt8>) {
        var certificates: [[UInt8]] = []
        var position = 0
        for _ in 0..<SignedPayloadsLimits.chainLength {
            guard bytes.count - position >= 4 else { return nil }
            var length = 0
            for index in position..<position + 4 { length = length << 8 | Int(bytes[index]) }
            position += 4
            guard length <= SignedPayloadsLimits.certificateByteCount, length <= bytes.count - position else {
                return nil
            }
            certificates.append((position..<position + length).map { bytes[$0] })
            position += length
        }
        guard position == bytes.count else { return nil }
        self.init(certificates: certificates)
    }

    /// The certificates in their order, each after its length in four bytes, big-endian.
    public var serialized: [UInt8] {
        certificates.flatMap { der in
            (0..<4).map { UInt8(truncatingIfNeeded: der.count >> (24 - 8 * $0)) } + der
        }
    }

    var digest: SHA256Digest {
        var hasher = SHA256Hasher()
        for der in certificates {
            hasher.update(UInt64(der.count))
            hasher.update(der.span)
        }
        return hasher.finalize()
    }
}
