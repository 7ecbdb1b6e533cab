internal import COpenSSL

extension SigningKey {
    /// Reads the text of a `.p8` file as App Store Connect hands it out: one PKCS #8 key (RFC 5958) in PEM (RFC 7468
    /// section 10), in the clear, on P-256; nothing but white space around it.
    ///
    /// The private number is kept in OpenSSL's secure heap, see ``CryptographyLibrary/protectKeys()``.
    ///
    /// - Throws: `cryptography.key-encrypted`, `cryptography.key-not-private` for a certificate or a public key,
    ///   `cryptography.key-malformed`, `cryptography.key-unsuitable` for another algorithm or curve.
    public init(p8 text: Span<UInt8>) throws(CryptographyError) {
        switch Self.label(of: text) {
        case "PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": throw .keyEncrypted
        case "CERTIFICATE", "PUBLIC KEY": throw .keyNotPrivate
        default: throw .keyMalformed
        }
        let handle = try PrivateKeyHandle(pem: text)
        guard handle.kind == .p256 else { throw .keyUnsuitable }
        // A public half that belongs to another key would make signatures that nobody can verify.
        guard handle.isConsistent else { throw .keyMalformed }
        try self.init(handle)
    }

    /// The label between `-----BEGIN ` and `-----` of a text that is one PEM block; nil for anything else.
    private static func label(of text: Span<UInt8>) -> String? {
        var start = 0
        var end = text.count
        while start < end, isSpace(text[start]) { start += 1 }
        while end > start, isSpace(text[end - 1]) { end -= 1 }
        let body = text.extracting(start..<end)
        let (begin, dashes) = (Array("-----BEGIN ".utf8), Array("-----".utf8))
        guard body.count > begin.count,
            ByteComparison.areEqual(body.extracting(first: begin.count), begin.span)
        else { return nil }
        // The longest label that means anything here has 21 characters.
        for count in 0..<min(32, body.count - begin.count - dashes.count) {
            let rest = body.extracting(begin.count + count..<begin.count + count + dashes.count)
            guard ByteComparison.areEqual(rest, dashes.span) else { continue }
            let name = (0..<count).map { body[begin.count + $0] }
            let label = String(decoding: name, as: UTF8.self)
            let close = Array("-----END \(label)-----".utf8)
            let first = begin.count + count + dashes.count
            guard body.count >= first + close.count,
                ByteComparison.areEqual(body.extracting(last: close.count), close.span)
            else { return nil }
            // What is between is base64, which has no dash: there is no second block.
            let inner = body.extracting(first..<body.count - close.count)
            let dash = ByteComparison.firstIndex(of: dashes[0], in: inner, from: 0)
            return dash == nil ? label : nil
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
