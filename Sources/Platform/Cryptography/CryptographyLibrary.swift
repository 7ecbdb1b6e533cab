internal import COpenSSL

/// The library behind everything here.
public enum CryptographyLibrary {
    /// Has private numbers kept in a heap of their own from now on (OPENSSL_secure_malloc(3)): pages between guard pages,
    /// in no core dump, locked into memory where the limits allow it, overwritten when they are given back. For a
    /// process that signs, before its first key.
    public static func protectKeys() { _ = isProtected }

    /// A key takes some hundred bytes; without room left OpenSSL would refuse the next one.
    private static let isProtected = CRYPTO_secure_malloc_init(256 << 10, 32) != 0

    /// The version that runs, as `OpenSSL 3.0.17 1 Jul 2025`.
    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
