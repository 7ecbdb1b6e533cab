internal import COpenSSL
public import System

public enum CryptographyError: String, CodedError, Hashable {
    case certificateNotDER = "cryptography.certificate-not-der"
    case certificateNotPEM = "cryptography.certificate-not-pem"
    case keyUnsuitable = "cryptography.key-unsuitable"
    case keyMalformed = "cryptography.key-malformed"
    case keyEncrypted = "cryptography.key-encrypted"
    case keyNotPrivate = "cryptography.key-not-private"
    case opensslFailure = "cryptography.openssl-failure"

    public var code: String { rawValue }
    public var exitStatus: ExitStatus { self == .opensslFailure ? .ours : .data }
}

public enum CryptographyLibrary {
    /// Makes OpenSSL keep private numbers in its secure heap from now on (OPENSSL_secure_malloc(3)): pages between guard
    /// pages, in no core dump, locked into memory where the limits allow it, overwritten when they are given back. A process
    /// that signs calls this before it reads its first key.
    public static func protectKeys() { _ = isProtected }

    /// True when the heap of 256 KiB could be made. A key takes some hundred bytes; OpenSSL refuses a key when the heap
    /// is full.
    private static let isProtected = CRYPTO_secure_malloc_init(256 << 10, 32) != 0

    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}

public enum RandomBytes {
    public static func make(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
}
