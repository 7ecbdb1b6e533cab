internal import COpenSSL

extension SigningKey {
    /// Reads the text of a `.p8` file as App Store Connect hands it out: one unencrypted PKCS #8 key (RFC 5958) on P-256 in
    /// PEM (RFC 7468 section 10). Only white space may stand around the key.
    ///
    /// The private number exists only in OpenSSL's secure heap (``CryptographyLibrary/protectKeys()``), while the key is read
    /// and afterwards. This function decodes the text itself because OpenSSL's own reader leaves copies in the ordinary heap.
    ///
    /// - Throws: `cryptography.key-encrypted`, `cryptography.key-not-private` for a certificate or a public key,
    ///   `cryptography.key-malformed`, `cryptography.key-unsuitable` for another algorithm or curve,
    ///   `cryptography.openssl-failure` when the heap has no room for the key.
    public init(p8 text: Span<UInt8>) throws(CryptographyError) {
        let (label, body) = try Self.block(text)
        switch label {
        case "PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": throw .keyEncrypted
        case "CERTIFICATE", "PUBLIC KEY": throw .keyNotPrivate
        default: throw .keyMalformed
        }
        guard var der = SecureBytes(capacity: body.count) else { throw .opensslFailure }
        guard Self.decode(text.extracting(body), into: &der) else { throw .keyMalformed }
        let handle = try der.withBytes { bytes throws(CryptographyError) in try PrivateKeyHandle(pkcs8: bytes)
        }
        // With the public half of another key, nobody could verify the signatures.
        guard handle.isConsistent else { throw .keyMalformed }
        try self.init(handle)
    }

    /// Returns the label between `-----BEGIN ` and `-----` of a text that is one PEM block, and the place of its base64.
    private static func block(
        _ text: Span<UInt8>
    ) throws(CryptographyError) -> (label: String, body: Range<Int>) {
        var start = 0
        var end = text.count
        while start < end, isSpace(text[start]) { start += 1 }
        while end > start, isSpace(text[end - 1]) { end -= 1 }
        let (begin, dashes) = (Array("-----BEGIN ".utf8), Array("-----".utf8))
        guard hasPrefix(begin, text, at: start, end) else { throw .keyMalformed }
        start += begin.count
        // The longest label that `init(p8:)` knows has 21 characters.
        let length = (0..<32).first { hasPrefix(dashes, text, at: start + $0, end) }
        guard let length else { throw .keyMalformed }
        let label = String(decoding: (start..<start + length).map { text[$0] }, as: UTF8.self)
        let close = Array("-----END \(label)-----".utf8)
        let body = start + length + dashes.count..<max(start + length + dashes.count, end - close.count)
        guard hasPrefix(close, text, at: body.upperBound, end), body.upperBound + close.count == end else {
            throw .keyMalformed
        }
        return (label, body)
    }

    private static func hasPrefix(_ prefix: [UInt8], _ text: Span<UInt8>, at place: Int, _ end: Int) -> Bool {
        guard end - place >= prefix.count else { return false }
        return ByteComparison.areEqual(text.extracting(place..<place + prefix.count), prefix.span)
    }

    /// Decodes base64 with white space in it. Returns false for any other character. That includes a dash, so a second PEM
    /// block is refused.
    private static func decode(_ text: Span<UInt8>, into output: inout SecureBytes) -> Bool {
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for index in text.indices where !isSpace(text[index]) {
            if text[index] == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = Base64.value(of: text[index]) else { return false }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                for shift in [16, 8, 0] as [UInt32] {
                    output.append(UInt8(truncatingIfNeeded: bits >> shift))
                }
            }
        }
        switch (count % 4, padding) {
        case (0, 0): return true
        case (2, 2): output.append(UInt8(truncatingIfNeeded: bits >> 4))
        case (3, 1):
            output.append(UInt8(truncatingIfNeeded: bits >> 10))
            output.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return false
        }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
