internal import COpenSSL
internal import Glibc

/// An X.509 certificate (RFC 5280). It is immutable, and copies share it by reference.
public struct Certificate: Sendable {
    let storage: Storage
    public let der: [UInt8]

    /// Reads exactly one certificate. Throws `cryptography.certificate-not-der`, also when bytes follow the certificate, and
    /// when its outer parts, which nobody signs, are written in another way than the one that DER allows.
    public init(der: Span<UInt8>) throws(CryptographyError) {
        ERR_clear_error()
        let parsed = unsafe der.withUnsafeBufferPointer { block -> OpaquePointer? in
            var position = block.baseAddress
            guard let certificate = unsafe d2i_X509(nil, &position, block.count) else { return nil }
            // d2i_X509 stops at the end of the certificate and does not report bytes that follow it.
            guard let start = block.baseAddress, unsafe position == start + block.count else {
                unsafe X509_free(certificate)
                return nil
            }
            return unsafe certificate
        }
        guard let parsed = unsafe parsed else {
            ERR_clear_error()
            throw .certificateNotDER
        }
        unsafe storage = Storage(takingOwnership: parsed)
        self.der = (0..<der.count).map { der[$0] }
        guard unsafe Self.derBytes(of: storage.pointer) == self.der else { throw .certificateNotDER }
    }

    /// Returns true when `bytes` have the outer shape of one certificate: a DER SEQUENCE that is exactly as long as `bytes`.
    /// This check costs nothing; ``init(der:)`` is the full check.
    public static func hasOuterShape(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0x30 else { return false }
        switch bytes[1] {
        case 0..<0x80: return bytes.count == 2 + Int(bytes[1])
        case 0x81: return bytes[2] >= 0x80 && bytes.count == 3 + Int(bytes[2])
        case 0x82: return bytes[2] > 0 && bytes.count == 4 + Int(bytes[2]) << 8 + Int(bytes[3])
        default: return false
        }
    }

    public var fingerprint: SHA256Digest { SHA256.hash(der.span) }

    public var notBeforeMilliseconds: Int64? {
        unsafe Self.milliseconds(X509_get0_notBefore(storage.pointer))
    }

    public var notAfterMilliseconds: Int64? {
        unsafe Self.milliseconds(X509_get0_notAfter(storage.pointer))
    }

    public func hasExtension(_ identifier: StaticString) -> Bool {
        guard
            let object = unsafe OBJ_txt2obj(
                UnsafeRawPointer(identifier.utf8Start).assumingMemoryBound(to: CChar.self), 1)
        else { return false }
        defer { unsafe ASN1_OBJECT_free(object) }
        return unsafe X509_get_ext_by_OBJ(storage.pointer, object, -1) >= 0
    }

    public var keyKind: KeyKind {
        guard let key = unsafe X509_get0_pubkey(storage.pointer) else { return .other }
        return unsafe KeyKind(of: key)
    }

    private static func milliseconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var parts = unsafe tm()
        guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return unsafe Int64(timegm(&parts)) * 1000
    }

    @safe final class Storage: @unchecked Sendable {  // only read after init; its reference count is atomic
        let pointer: OpaquePointer

        init(takingOwnership pointer: OpaquePointer) {
            unsafe self.pointer = pointer
        }

        deinit {
            unsafe X509_free(pointer)
        }
    }

    /// The subject in the form of RFC 2253, `CN=Apple Root CA - G3,OU=…`. Non-ASCII and control characters are escaped, so
    /// that the text can be written to a log.
    public var subject: String {
        unsafe Self.text(of: X509_get_subject_name(storage.pointer))
    }

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

public enum KeyKind: Sendable, Hashable {
    case ellipticCurve(name: String)
    case rsa(bits: Int)
    case other

    public static let p256 = KeyKind.ellipticCurve(name: "prime256v1")
    public static let p384 = KeyKind.ellipticCurve(name: "secp384r1")

    init(of key: OpaquePointer) {
        if unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA {
            self = .rsa(bits: unsafe Int(EVP_PKEY_get_bits(key)))
            return
        }
        var explicit: Int32 = 0
        var name = [CChar](repeating: 0, count: 64)
        let parameter = OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS
        guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
            unsafe EVP_PKEY_get_int_param(key, parameter, &explicit) == 1, explicit == 0,
            unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1
        else {
            self = .other
            return
        }
        let length = name.firstIndex(of: 0) ?? name.count
        self = .ellipticCurve(name: String(decoding: name[..<length].map(UInt8.init), as: UTF8.self))
    }
}

extension Certificate {
    public var isAuthority: Bool {
        unsafe X509_get_extension_flags(storage.pointer) & UInt32(EXFLAG_CA) != 0
    }

    public var hasCriticalBasicConstraints: Bool {
        let index = unsafe X509_get_ext_by_NID(storage.pointer, NID_basic_constraints, -1)
        guard index >= 0, let found = unsafe X509_get_ext(storage.pointer, index) else { return false }
        return unsafe X509_EXTENSION_get_critical(found) == 1
    }

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

    public var isSelfSigned: Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        return unsafe X509_self_signed(storage.pointer, 1) == 1
    }

    public var hasSubjectKeyIdentifier: Bool {
        unsafe X509_get0_subject_key_id(storage.pointer) != nil
    }
}

extension Certificate {
    /// Returns all certificates of a PEM text (RFC 7468), in the order of the text. Throws
    /// `cryptography.certificate-not-pem` when the text holds no certificate or one that cannot be read.
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

    public var pem: String { Self.pem(ofDER: der) }

    public static func pem(ofDER der: [UInt8]) -> String {
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

public struct UsedCertificate: Sendable, Hashable {
    public enum Position: String, Sendable, Hashable, CaseIterable {
        case leaf
        case intermediate
        case anchor
    }

    public let position: Position
    public let notAfterMilliseconds: Int64

    public init(position: Position, notAfterMilliseconds: Int64) {
        self.position = position
        self.notAfterMilliseconds = notAfterMilliseconds
    }

    public init?(_ certificate: Certificate, as position: Position) {
        guard let end = certificate.notAfterMilliseconds else { return nil }
        self.init(position: position, notAfterMilliseconds: end)
    }
}
