internal import Cryptography

/// The name of a payload in the store: a SHA-256 digest, or another text.
///
/// A digest is kept as numbers, because the payloads of a subscriber are compared again and again. Names are equal and ordered as
/// their texts are.
public struct PayloadName: Sendable, Hashable, Comparable {
    /// The 32 bytes of a digest in order, the first one highest; 0 for another text.
    private let first, second, third, fourth: UInt64
    /// The text that is no digest; nil for a digest.
    private let other: String?

    /// The name of a digest. Bytes that are no digest give the text of their hexadecimal digits.
    public init(digest: [UInt8]) {
        let isDigest = digest.count == 32
        func word(_ place: Int) -> UInt64 {
            isDigest ? digest[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) } : 0
        }
        (first, second, third, fourth) = (word(0), word(8), word(16), word(24))
        other = isDigest ? nil : Hexadecimal.encode(digest.span)
    }

    /// The name with a text. That of a digest is its 64 hexadecimal digits in lower case.
    public init(_ text: String) {
        if text.utf8.count == 64, let digest = Hexadecimal.decode(text), digest.count == 32,
            Hexadecimal.encode(digest.span) == text
        {
            self.init(digest: digest)
        } else {
            self.init(other: text)
        }
    }

    private init(other text: String) {
        (first, second, third, fourth) = (0, 0, 0, 0)
        other = text
    }

    /// The text of the name: for a digest, its hexadecimal digits in lower case.
    public var text: String {
        if let other { return other }
        var bytes: [UInt8] = []
        for word in [first, second, third, fourth] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return Hexadecimal.encode(bytes.span)
    }

    /// Orders as the bytes of the texts are ordered.
    public static func < (left: Self, right: Self) -> Bool {
        if left.other == nil, right.other == nil {
            return (left.first, left.second, left.third, left.fourth)
                < (right.first, right.second, right.third, right.fourth)
        }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
