internal import COpenSSL
internal import Glibc
public import System

/// A SHA-256 digest (FIPS 180-4), 32 bytes.
public struct SHA256Digest: Sendable, Hashable, CustomStringConvertible {
    let first: UInt64
    let second: UInt64
    let third: UInt64
    let fourth: UInt64

    public init?(bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        func word(_ start: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in start..<start + 8 { value = value << 8 | UInt64(bytes[index]) }
            return value
        }
        first = word(0)
        second = word(8)
        third = word(16)
        fourth = word(24)
    }

    public init(words: [4 of UInt64]) {
        (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
    }

    public var words: [4 of UInt64] { [first, second, third, fourth] }

    public init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes.span)
    }

    /// The first eight bytes as a big-endian number. Tables use it as a hash value, because it is as good as random.
    public var leadingWord: UInt64 { first }

    public var bytes: [UInt8] {
        Array(capacity: 32) { output in
            func add(_ word: UInt64) {
                for shift in stride(from: 56, through: 0, by: -8) {
                    output.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
                }
            }
            add(first)
            add(second)
            add(third)
            add(fourth)
        }
    }

    public var hexadecimal: String { Hexadecimal.encode(bytes.span) }
    public var description: String { hexadecimal }
}

public enum SHA256 {
    /// OpenSSL's implementation, found once and never freed. `EVP_sha256()` makes OpenSSL search for it at each digest.
    @safe nonisolated(unsafe) static let method = unsafe EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()

    public static func hash(_ bytes: Span<UInt8>) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finalize()
    }
}

@safe public struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    /// Starts a digest.
    ///
    /// Stops the process when libcrypto has no memory or no SHA-256. No input from outside can cause that.
    public init() {
        guard let context = unsafe EVP_MD_CTX_new(),
            unsafe EVP_DigestInit_ex(context, SHA256.method, nil) == 1
        else { preconditionFailure("libcrypto cannot start SHA-256") }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    public mutating func update(_ bytes: Span<UInt8>) { unsafe update(bytes.bytes) }

    public mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { block in
            _ = unsafe EVP_DigestUpdate(context, block.baseAddress, block.count)
        }
    }

    public mutating func update(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number.bigEndian) { block in
            _ = unsafe EVP_DigestUpdate(context, block.baseAddress, block.count)
        }
    }

    public consuming func finalize() -> SHA256Digest {
        var bytes = [UInt8](repeating: 0, count: 32)
        unsafe bytes.withUnsafeMutableBufferPointer { block in
            _ = unsafe EVP_DigestFinal_ex(context, block.baseAddress, nil)
        }
        guard let digest = SHA256Digest(bytes: bytes.span) else {
            preconditionFailure("a SHA-256 digest has 32 bytes")
        }
        return digest
    }
}

public enum Hexadecimal {
    public static func encode(_ bytes: Span<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for index in bytes.indices {
                unsafe text[2 * index] = HexadecimalDigits.digit(of: bytes[index] >> 4)
                unsafe text[2 * index + 1] = HexadecimalDigits.digit(of: bytes[index] & 15)
            }
            return 2 * bytes.count
        }
    }

    public static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 2)
        for index in stride(from: 0, to: characters.count, by: 2) {
            guard let high = HexadecimalDigits.value(of: characters[index]),
                let low = HexadecimalDigits.value(of: characters[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

public enum ByteComparison {
    /// Returns true when both hold the same bytes. The time depends on the bytes, so use it for public data only.
    public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { first in
            unsafe right.withUnsafeBytes { second in
                guard let start = first.baseAddress, let other = second.baseAddress else { return true }
                // Copies of an array share their bytes.
                return unsafe start == other || memcmp(start, other, first.count) == 0
            }
        }
    }

    public static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
        guard start >= 0, start < bytes.count else { return nil }
        return unsafe bytes.withUnsafeBytes { block -> Int? in
            guard let base = block.baseAddress else { return nil }
            let from = unsafe base + start
            guard let found = unsafe memchr(from, Int32(byte), block.count - start) else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}

extension UUID {
    /// Makes the UUID of version 5 (RFC 9562 section 5.5) of a name in a namespace.
    public init(namespace: UUID, name: Span<UInt8>) {
        var text: [UInt8] = []
        text.append(copying: namespace.high.bigEndian)
        text.append(copying: namespace.low.bigEndian)
        text += name.copied()
        // A SHA-1 digest has 20 bytes.
        var digest = [UInt8](repeating: 0, count: 20)
        guard unsafe EVP_Digest(text, text.count, &digest, nil, EVP_sha1(), nil) == 1 else {
            preconditionFailure("libcrypto cannot make SHA-1")
        }
        func word(_ start: Int) -> UInt64 {
            digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(
            high: word(0) & 0xFFFF_FFFF_FFFF_0FFF | 0x5000,
            low: word(8) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    public init(namespace: UUID, name: String) {
        self.init(namespace: namespace, name: Array(name.utf8).span)
    }
}

/// The key that turns subscriber identifiers into the pseudonyms of the decision records (setting `identifierKeyFile`). A
/// key has 32 bytes. Its file holds them as 64 hexadecimal digits, as `openssl rand -hex 32` prints them.
public struct IdentifierKey: Sendable, Hashable, CustomStringConvertible {
    public static let byteCount = 32
    public static let textByteCount = 2 * byteCount + 1

    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    public init?(text: [UInt8]) {
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 2 * Self.byteCount,
            let bytes = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(bytes: bytes)
    }

    public static func make() -> IdentifierKey { IdentifierKey(bytes: RandomBytes.make(byteCount)) }

    /// The digits of the key, as ``init(text:)`` reads them, without a line feed. This text is a secret.
    public var text: String { Hexadecimal.encode(bytes.span) }

    /// Returns a fingerprint of the key. It tells whether two logs were written with the same key, and nothing else about
    /// the key: the first 8 bytes, in hexadecimal, of HMAC-SHA-256 with the key over the text `identifierKey`, which is not
    /// the identifier of any subscriber.
    public func fingerprintText() throws(CryptographyError) -> String {
        let code = try HMACSHA256(key: bytes.span)
        return String(try code.authenticate("identifierKey".utf8Span.span).hexadecimal.prefix(16))
    }

    public func pseudonyms() throws(CryptographyError) -> SubscriberPseudonyms {
        SubscriberPseudonyms(code: try HMACSHA256(key: bytes.span))
    }

    public var description: String { "identifier key" }
}

/// Computes the pseudonyms of subscribers in decision records: the first 16 bytes, in hexadecimal, of HMAC-SHA-256 over the
/// identifier. For one thread.
public struct SubscriberPseudonyms {
    private let code: HMACSHA256

    init(code: HMACSHA256) {
        self.code = code
    }

    public func pseudonym(of originalTransactionId: String) throws(CryptographyError) -> String {
        var text = TextBuffer(reservingByteCount: 32)
        try append(pseudonymOf: originalTransactionId.utf8Span.span, to: &text)
        return text.string
    }

    public func append(pseudonymOf originalTransactionId: Span<UInt8>, to text: inout TextBuffer)
        throws(CryptographyError)
    {
        let words = try code.authenticate(originalTransactionId).words
        text.append(hexadecimal: words[0], digitCount: 16)
        text.append(hexadecimal: words[1], digitCount: 16)
    }
}

/// Computes HMAC-SHA-256 (RFC 2104) with one key and one prepared context, so threads must not share it.
@safe public final class HMACSHA256: CustomStringConvertible {
    private let context: OpaquePointer

    public init(key: Span<UInt8>) throws(CryptographyError) {
        guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { throw .opensslFailure }
        // The context keeps its own reference to the algorithm.
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { throw .opensslFailure }
        let result = unsafe key.withUnsafeBufferPointer { block in
            unsafe rt_hmac_sha256_init(context, block.baseAddress, block.count)
        }
        guard result == 1 else {
            unsafe EVP_MAC_CTX_free(context)
            throw .opensslFailure
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    public func authenticate(_ bytes: Span<UInt8>) throws(CryptographyError) -> SHA256Digest {
        var words = [4 of UInt64](repeating: 0)
        var code = words.mutableSpan
        let isDone = unsafe bytes.withUnsafeBufferPointer { message -> Bool in
            unsafe code.withUnsafeMutableBytes { output -> Bool in
                var written = 0
                // A call without a key keeps the key that was set before.
                return unsafe EVP_MAC_init(context, nil, 0, nil) == 1
                    && EVP_MAC_update(context, message.baseAddress, message.count) == 1
                    && EVP_MAC_final(context, output.baseAddress, &written, output.count) == 1
                    && written == output.count
            }
        }
        guard isDone else { throw .opensslFailure }
        for index in 0..<4 { words[index] = UInt64(bigEndian: words[index]) }
        return SHA256Digest(words: words)
    }

    public var description: String { "HMAC-SHA-256 key" }
}

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
    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}

public enum RandomBytes {
    public static func make(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
}
