internal import COpenSSL

/// Makes ES256 signatures (RFC 7518 section 3.4) with one key and one prepared context, so threads must not share it.
@safe public final class ES256Signer {
    private let context: OpaquePointer

    public init(_ key: SigningKey) throws(CryptographyError) {
        // The context keeps its own reference to the key.
        let context = unsafe key.withPointer { key in unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) }
        guard let context = unsafe context else { throw .opensslFailure }
        guard unsafe EVP_PKEY_sign_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        else {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
            throw .opensslFailure
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        let encoded = try signDER(message)
        guard let raw = Self.raw(encoded.span) else { throw .opensslFailure }
        return raw
    }

    public func signDER(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var size: UInt32 = 0
        let isHashed = unsafe message.withUnsafeBufferPointer { text in
            unsafe EVP_Digest(text.baseAddress, text.count, &digest, &size, EVP_sha256(), nil) == 1
        }
        var signature = [UInt8](repeating: 0, count: 72)
        var length = signature.count
        let result = unsafe EVP_PKEY_sign(context, &signature, &length, digest, digest.count)
        let isSigned = isHashed && result == 1 && length <= signature.count
        guard isSigned else {
            ERR_clear_error()
            throw .opensslFailure
        }
        signature.removeLast(signature.count - length)
        return signature
    }

    static func raw(_ encoded: Span<UInt8>) -> [UInt8]? {
        guard let numbers = DERReader.signatureNumbers(in: 0..<encoded.count, of: encoded),
            numbers.allSatisfy({ $0.count <= 32 })
        else { return nil }
        var raw = [UInt8](repeating: 0, count: 64)
        for (number, end) in zip(numbers, [32, 64]) {
            for (index, place) in number.enumerated() { raw[end - number.count + index] = encoded[place] }
        }
        return raw
    }
}
