internal import COpenSSL

extension Certificate {
    /// The subject in the form of RFC 2253, `CN=Apple Root CA - G3,OU=…`. Non-ASCII and control characters are escaped, so
    /// that the text can be written to a log.
    public var subject: String {
        unsafe Self.text(of: X509_get_subject_name(storage.pointer))
    }

    /// The issuer in the same form as ``subject``.
    public var issuer: String {
        unsafe Self.text(of: X509_get_issuer_name(storage.pointer))
    }

    private static func text(of name: OpaquePointer?) -> String {
        guard let output = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free_all(output) }
        guard let name = unsafe name,
            unsafe X509_NAME_print_ex(output, name, 0, UInt(RT_XN_FLAG_RFC2253)) >= 0
        else { return "" }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe BIO_read(output, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
    }
}
