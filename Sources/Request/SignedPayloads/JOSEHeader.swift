internal import Cryptography
internal import JSON

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
