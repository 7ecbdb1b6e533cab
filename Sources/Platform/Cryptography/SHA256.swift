internal import COpenSSL

/// A SHA-256 digest (FIPS 180-4), 32 bytes.
public struct SHA256Digest: Sendable, Hashable, CustomStringConvertible {
    let first: UInt64
    let second: UInt64
    let third: UInt64
    let fourth: UInt64

    /// Makes a digest from its 32 bytes. Returns nil for any other number of bytes.
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

    /// Makes a digest from ``words``.
    public init(words: [4 of UInt64]) {
        (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
    }

    /// The digest as four big-endian numbers.
    public var words: [4 of UInt64] { [first, second, third, fourth] }

    /// Reads 64 hexadecimal digits in upper or lower case. Returns nil for any other text.
    public init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes.span)
    }

    /// The first eight bytes as a big-endian number. Tables use it as a hash value, because it is as good as random.
    public var leadingWord: UInt64 { first }

    /// The 32 bytes of the digest.
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

    /// The digest as 64 lower-case hexadecimal digits.
    public var hexadecimal: String { Hexadecimal.encode(bytes.span) }

    /// The same text as ``hexadecimal``.
    public var description: String { hexadecimal }
}

/// Computes SHA-256 over bytes that are all in memory.
public enum SHA256 {
    /// OpenSSL's implementation, found once and never freed. `EVP_sha256()` makes OpenSSL search for it at each digest.
    @safe nonisolated(unsafe) static let method = unsafe EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()

    /// Returns the digest of `bytes`.
    public static func hash(_ bytes: Span<UInt8>) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finalize()
    }
}

/// Computes SHA-256 over bytes that come in pieces.
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

    /// Adds `bytes` to the digest.
    public mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { block in
            _ = unsafe EVP_DigestUpdate(context, block.baseAddress, block.count)
        }
    }

    /// Adds the bytes of a raw span to the digest.
    public mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { block in
            _ = unsafe EVP_DigestUpdate(context, block.baseAddress, block.count)
        }
    }

    /// Adds a length or another number to the digest, as eight bytes, big-endian.
    public mutating func update(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number.bigEndian) { block in
            _ = unsafe EVP_DigestUpdate(context, block.baseAddress, block.count)
        }
    }

    /// Returns the digest of all bytes that were added.
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
