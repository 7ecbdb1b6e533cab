internal import COpenSSL

extension Certificate {
    /// Returns all certificates of a PEM text (RFC 7468), in the order of the text.
    ///
    /// - Throws: `cryptography.certificate-not-pem` when the text holds no certificate or one that cannot be read.
    public static func pem(_ text: Span<UInt8>) throws(CryptographyError) -> [Certificate] {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var encoded: [[UInt8]] = []
        unsafe text.withUnsafeBufferPointer { block in
            guard let source = unsafe BIO_new_mem_buf(block.baseAddress, Int32(clamping: block.count)) else {
                return
            }
            defer { unsafe BIO_free_all(source) }
            while let certificate = unsafe PEM_read_bio_X509(source, nil, nil, nil) {
                defer { unsafe X509_free(certificate) }
                unsafe encoded.append(derBytes(of: certificate))
            }
        }
        // At the end of the text OpenSSL reports that there is no start line. Any other reason means a broken block.
        let reason = ERR_GET_REASON(ERR_peek_last_error())
        guard !encoded.isEmpty, reason == PEM_R_NO_START_LINE else { throw .certificateNotPEM }
        var certificates: [Certificate] = []
        for der in encoded { certificates.append(try Certificate(der: der.span)) }
        return certificates
    }

    public var pem: String {
        let text = Base64.encode(der.span)
        var lines = ["-----BEGIN CERTIFICATE-----"]
        for start in stride(from: 0, to: text.count, by: 64) {
            lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
        }
        lines.append("-----END CERTIFICATE-----\n")
        return lines.joined(separator: "\n")
    }

    private static func derBytes(of certificate: OpaquePointer) -> [UInt8] {
        let length = unsafe i2d_X509(certificate, nil)
        guard length > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { block, count in
            var position = block.baseAddress
            count = unsafe Int(max(0, i2d_X509(certificate, &position)))
        }
    }
}
