internal import COpenSSL
public import Vocabulary

extension UUID {
    /// Makes the UUID of version 5 (RFC 9562 section 5.5) of a name in a namespace: the first 16 bytes of the SHA-1 digest
    /// of the namespace's 16 bytes and of the name, with version and variant set. The same namespace and name always give
    /// the same UUID.
    ///
    /// Stops the process when libcrypto has no memory or no SHA-1. No input from outside can cause that.
    public init(namespace: UUID, name: Span<UInt8>) {
        guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha1(), nil) == 1
        else { preconditionFailure("libcrypto cannot start SHA-1") }
        defer { unsafe EVP_MD_CTX_free(context) }
        for half in [namespace.high.bigEndian, namespace.low.bigEndian] {
            unsafe withUnsafeBytes(of: half) { block in
                _ = unsafe EVP_DigestUpdate(context, block.baseAddress, block.count)
            }
        }
        unsafe name.withUnsafeBytes { block in
            _ = unsafe EVP_DigestUpdate(context, block.baseAddress, block.count)
        }
        // A SHA-1 digest has 20 bytes.
        var digest = [UInt8](repeating: 0, count: 20)
        guard unsafe EVP_DigestFinal_ex(context, &digest, nil) == 1 else {
            preconditionFailure("libcrypto cannot finish SHA-1")
        }
        func word(_ start: Int) -> UInt64 {
            digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(
            high: word(0) & 0xFFFF_FFFF_FFFF_0FFF | 0x5000,
            low: word(8) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// Makes the UUID of version 5 of a text in UTF-8.
    public init(namespace: UUID, name: String) {
        self.init(namespace: namespace, name: Array(name.utf8).span)
    }
}
