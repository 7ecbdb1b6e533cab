internal import Cryptography

/// The three certificates of a chain as bytes. A request presents them in `x5c`, and workers send them to each other as
/// hints.
public struct ChainBytes: Sendable, Hashable {
    /// The DER of leaf, intermediate and root, in this order.
    public let certificates: [[UInt8]]

    /// Takes leaf, intermediate and root; nil when there are not exactly three certificates.
    public init?(certificates: [[UInt8]]) {
        guard certificates.count == SignedPayloadsLimits.chainLength else { return nil }
        self.certificates = certificates
    }

    /// Reads the bytes that ``serialized`` writes; nil for any other bytes.
    public init?(serialized bytes: Span<UInt8>) {
        var certificates: [[UInt8]] = []
        var position = 0
        for _ in 0..<SignedPayloadsLimits.chainLength {
            guard bytes.count - position >= 4 else { return nil }
            var length = 0
            for index in position..<position + 4 { length = length << 8 | Int(bytes[index]) }
            position += 4
            guard length <= SignedPayloadsLimits.certificateByteCount, length <= bytes.count - position else {
                return nil
            }
            certificates.append((position..<position + length).map { bytes[$0] })
            position += length
        }
        guard position == bytes.count else { return nil }
        self.init(certificates: certificates)
    }

    /// The certificates in their order, each after its length in four bytes, big-endian.
    public var serialized: [UInt8] {
        certificates.flatMap { der in
            (0..<4).map { UInt8(truncatingIfNeeded: der.count >> (24 - 8 * $0)) } + der
        }
    }

    /// SHA-256 over the certificates, each after its length. The verifier remembers chains by this digest.
    var digest: SHA256Digest {
        var hasher = SHA256Hasher()
        for der in certificates {
            hasher.update(UInt64(der.count))
            hasher.update(der.span)
        }
        return hasher.finalize()
    }
}
