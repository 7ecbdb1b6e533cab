internal import COpenSSL

/// The limits that a certificate sets on the use of its key (RFC 5280 sections 4.2.1.3, 4.2.1.9 and 4.2.1.12).
extension Certificate {
    /// True when basicConstraints says that the subject is a certificate authority.
    public var isAuthority: Bool {
        unsafe X509_get_extension_flags(storage.pointer) & UInt32(EXFLAG_CA) != 0
    }

    /// True when the certificate has basicConstraints and marks it as critical.
    public var hasCriticalBasicConstraints: Bool {
        let index = unsafe X509_get_ext_by_NID(storage.pointer, NID_basic_constraints, -1)
        guard index >= 0, let found = unsafe X509_get_ext(storage.pointer, index) else { return false }
        return unsafe X509_EXTENSION_get_critical(found) == 1
    }

    /// The number of intermediate authorities that may follow below this certificate; nil for any number.
    public var pathLength: Int? {
        let length = unsafe X509_get_pathlen(storage.pointer)
        return length < 0 ? nil : Int(length)
    }

    public var maySignCertificates: Bool { hasKeyUsage(UInt32(KU_KEY_CERT_SIGN)) }

    public var maySignData: Bool { hasKeyUsage(UInt32(KU_DIGITAL_SIGNATURE)) }

    private func hasKeyUsage(_ bit: UInt32) -> Bool {
        // libcrypto returns a number of all ones for a certificate without the extension.
        let usage = unsafe X509_get_key_usage(storage.pointer)
        return usage != .max && usage & bit != 0
    }

    /// The dotted identifiers of a critical extendedKeyUsage; empty when the extension cannot be read. nil when the
    /// certificate has no such extension or does not mark it as critical.
    public var criticalPurposes: [String]? {
        let index = unsafe X509_get_ext_by_NID(storage.pointer, NID_ext_key_usage, -1)
        guard index >= 0, let found = unsafe X509_get_ext(storage.pointer, index),
            unsafe X509_EXTENSION_get_critical(found) == 1
        else { return nil }
        guard let decoded = unsafe X509V3_EXT_d2i(found) else {
            ERR_clear_error()
            return []
        }
        let list = OpaquePointer(decoded)
        defer { unsafe EXTENDED_KEY_USAGE_free(list) }
        var purposes: [String] = []
        for position in 0..<max(0, unsafe OPENSSL_sk_num(list)) {
            guard let object = unsafe OPENSSL_sk_value(list, position) else { continue }
            var text = [CChar](repeating: 0, count: 128)
            let count = unsafe OBJ_obj2txt(&text, Int32(text.count), OpaquePointer(object), 1)
            let length = min(Int(max(0, count)), text.count - 1)
            purposes.append(
                String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            )
        }
        return purposes
    }

    /// True when the certificate's own key made its signature, and its subject equals its issuer.
    public var isSelfSigned: Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return unsafe X509_self_signed(storage.pointer, 1) == 1
    }

    public var hasSubjectKeyIdentifier: Bool {
        unsafe X509_get0_subject_key_id(storage.pointer) != nil
    }
}
