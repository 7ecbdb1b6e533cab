internal import COpenSSL
internal import Glibc

/// An X.509 certificate (RFC 5280). It is immutable, and copies share it by reference.
public struct Certificate: Sendable {
    let storage: Storage
    /// The DER bytes that the certificate was read from.
    public let der: [UInt8]

    /// Reads exactly one certificate.
    ///
    /// - Throws: `cryptography.certificate-not-der`, also when bytes follow the certificate.
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

    /// The SHA-256 digest of the DER bytes.
    public var fingerprint: SHA256Digest { SHA256.hash(der.span) }

    /// The field notBefore in milliseconds since 1970; nil when the field cannot be read.
    public var notBeforeMilliseconds: Int64? {
        unsafe Self.milliseconds(X509_get0_notBefore(storage.pointer))
    }

    /// The field notAfter, the last valid second, in milliseconds since 1970; nil when the field cannot be read.
    public var notAfterMilliseconds: Int64? {
        unsafe Self.milliseconds(X509_get0_notAfter(storage.pointer))
    }

    /// Returns true when the certificate has an extension with this dotted object identifier.
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

    /// The only owner of an `X509` of libcrypto's. Several threads may read such a certificate at once.
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

/// The kind of a public or private key.
public enum KeyKind: Sendable, Hashable {
    /// An elliptic curve given by name, in libcrypto's words: `prime256v1` is P-256, `secp384r1` is P-384.
    case ellipticCurve(name: String)
    /// RSA with a modulus of `bits` bits.
    case rsa(bits: Int)
    /// Any other kind, including elliptic curves with explicit parameters.
    case other

    /// P-256 (FIPS 186-4), the curve of ES256.
    public static let p256 = KeyKind.ellipticCurve(name: "prime256v1")
    /// P-384 (FIPS 186-4).
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
