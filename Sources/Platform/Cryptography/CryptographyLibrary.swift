internal import COpenSSL

/// OpenSSL's libcrypto, which does the work of this module.
public enum CryptographyLibrary {
    /// Makes OpenSSL keep private numbers in its secure heap from now on (OPENSSL_secure_malloc(3)): pages between guard
    /// pages, in no core dump, locked into memory where the limits allow it, overwritten when they are given back. A process
    /// that signs calls this before it reads its first key.
    public static func protectKeys() { _ = isProtected }

    /// True when the heap of 256 KiB could be made. A key takes some hundred bytes; OpenSSL refuses a key when the heap
    /// is full.
    private static let isProtected = CRYPTO_secure_malloc_init(256 << 10, 32) != 0

    /// The version of OpenSSL in this process, for example `OpenSSL 3.0.17 1 Jul 2025`.
    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
