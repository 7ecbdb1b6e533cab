internal import COpenSSL

/// A private key on P-256 (FIPS 186-4) that makes ES256 signatures (RFC 7518 section 3.4). Copies share the key by
/// reference, and the key is never printed.
public struct SigningKey: Sendable, CustomStringConvertible {
    let handle: PrivateKeyHandle

    public init(_ handle: PrivateKeyHandle) throws(CryptographyError) {
        guard handle.kind == .p256 else { throw .keyUnsuitable }
        self.handle = handle
    }

    public static func generate() throws(CryptographyError) -> SigningKey {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .opensslFailure }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else {
            ERR_clear_error()
            throw .opensslFailure
        }
        return try SigningKey(unsafe PrivateKeyHandle(takingOwnership: key))
    }

    /// Returns the key as PKCS #8 in PEM, unencrypted. Write it only to a file that nobody but its owner can read.
    public func pem() throws(CryptographyError) -> String {
        try handle.pem()
    }

    /// Returns the SHA-256 digest of the public half, as SubjectPublicKeyInfo (RFC 5280).
    public func publicKeyDigest() throws(CryptographyError) -> SHA256Digest {
        let count = unsafe withPointer { unsafe i2d_PUBKEY($0, nil) }
        guard count > 0 else { throw .opensslFailure }
        var der = [UInt8](repeating: 0, count: Int(count))
        unsafe withPointer { key in
            unsafe der.withUnsafeMutableBufferPointer { block in
                var end = block.baseAddress
                _ = unsafe i2d_PUBKEY(key, &end)
            }
        }
        var hasher = SHA256Hasher()
        hasher.update(der.span)
        return hasher.finalize()
    }

    /// Signs `message` and returns r‖s, 64 bytes, the form that JWS requires. Every call returns another signature.
    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).sign(message)
    }

    /// Signs `message` and returns the signature in DER, the form of X.509 and of Apple's promotionalOfferSignatureV1.
    public func signDER(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).signDER(message)
    }

    func withPointer<Outcome>(_ body: (OpaquePointer) -> Outcome) -> Outcome {
        unsafe handle.withPointer(body)
    }

    public var description: String { "P-256 private key" }
}

extension SigningKey {
    /// Reads the text of a `.p8` file as App Store Connect hands it out: one unencrypted PKCS #8 key (RFC 5958) on P-256 in
    /// PEM (RFC 7468 section 10). It decodes the text itself because OpenSSL's reader leaves copies of the private number in
    /// the ordinary heap. Throws `cryptography.key-encrypted`, `cryptography.key-not-private`, `cryptography.key-malformed`,
    /// `cryptography.key-unsuitable`, `cryptography.openssl-failure`.
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

/// The only owner of a private key of OpenSSL's (`EVP_PKEY`). Signing only reads the key, so threads may share it. The
/// handle writes keys in PEM as PKCS #8 (RFC 5958), unencrypted.
@safe public final class PrivateKeyHandle: @unchecked Sendable {  // only read after init
    private let pointer: OpaquePointer

    public init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    convenience init(pkcs8 der: Span<UInt8>) throws(CryptographyError) {
        let info = try P256PrivateKeyInfo(der)
        ERR_clear_error()
        defer { ERR_clear_error() }
        let key = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let base = bytes.baseAddress else { return nil }
            return unsafe rt_p256_private_key(base + info.number.lowerBound, base + info.point.lowerBound)
        }
        guard let key = unsafe key else { throw .keyMalformed }
        unsafe self.init(takingOwnership: key)
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    public func withPointer<Outcome, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        try unsafe body(pointer)
    }

    public var kind: KeyKind { unsafe KeyKind(of: pointer) }

    public var isConsistent: Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return unsafe EVP_PKEY_pairwise_check(context) == 1
    }

    public func pem() throws(CryptographyError) -> String {
        guard let output = unsafe BIO_new(BIO_s_secmem()) else { throw .opensslFailure }
        defer { unsafe BIO_free_all(output) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(output, pointer, nil, nil, 0, nil, nil) == 1 else {
            ERR_clear_error()
            throw .opensslFailure
        }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(output))
        let count = unsafe BIO_read(output, &bytes, Int32(clamping: bytes.count))
        guard Int(count) == bytes.count else { throw .opensslFailure }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Hashes `message` with `digest`, signs it and returns the signature in the usual form of the algorithm: DER for
    /// elliptic curves, PKCS #1 v1.5 for RSA. `digest` is nil for an algorithm that does the hashing itself.
    public func sign(_ message: Span<UInt8>, digest: String?) throws(CryptographyError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .opensslFailure }
        defer { unsafe EVP_MD_CTX_free(context) }
        let hash = unsafe digest.flatMap { unsafe EVP_get_digestbyname($0) }
        guard unsafe EVP_DigestSignInit(context, nil, hash, nil, pointer) == 1 else {
            ERR_clear_error()
            throw .opensslFailure
        }
        var length = Int(unsafe EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: length)
        let result = unsafe message.withUnsafeBufferPointer { text in
            unsafe EVP_DigestSign(context, &signature, &length, text.baseAddress, text.count)
        }
        guard result == 1, length <= signature.count else {
            ERR_clear_error()
            throw .opensslFailure
        }
        signature.removeLast(signature.count - length)
        return signature
    }
}

/// A few bytes in OpenSSL's secure heap (OPENSSL_secure_malloc(3)). They are overwritten when this value is destroyed.
@safe struct SecureBytes: ~Copyable {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private(set) var count = 0

    init?(capacity: Int) {
        guard capacity > 0, let base = unsafe rt_secure_malloc(capacity) else { return nil }
        unsafe self.base = base
        self.capacity = capacity
    }

    deinit {
        unsafe rt_secure_free(base, capacity)
    }

    mutating func append(_ byte: UInt8) {
        guard count < capacity else { return }
        unsafe base[count] = byte
        count += 1
    }

    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: base, count: count))
    }
}
