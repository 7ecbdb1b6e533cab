internal import COpenSSL

/// The library behind everything here.
public enum CryptographyLibrary {
    /// The version that runs, as `OpenSSL 3.0.17 1 Jul 2025`.
    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
