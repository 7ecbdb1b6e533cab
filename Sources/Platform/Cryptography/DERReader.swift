/// Reads the elements of a DER text (X.690 section 10) one after the other. It accepts tags of one byte and definite
/// lengths in the fewest bytes. It never reads beyond the end of its range, whatever the lengths say.
struct DERReader {
    /// Tags of one byte (X.690 section 8.1.2), with the bit for constructed values where the type has it.
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        /// Context-specific tag 0, constructed: the version field of a certificate.
        static let contextZero: UInt8 = 0xA0
    }

    /// The place of an element: `whole` with its tag and length, `contents` without them.
    struct Element {
        let whole: Range<Int>
        let contents: Range<Int>
    }

    private var position: Int
    private let end: Int

    /// Makes a reader for the elements in `range`.
    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    /// Steps over the next element and returns its place. Returns nil and stays where it is when the element has another tag
    /// or is malformed.
    mutating func next(_ tag: UInt8, in bytes: Span<UInt8>) -> Element? {
        let end = min(end, bytes.count)
        guard position < end, bytes[position] == tag else { return nil }
        var start = position + 1
        guard let count = Self.length(at: &start, in: bytes, end: end), count <= end - start else {
            return nil
        }
        let element = Element(whole: position..<start + count, contents: start..<start + count)
        position = start + count
        return element
    }

    /// Reads a length, which must be in its shortest form (X.690 section 10.1), and moves `position` behind it. Returns nil
    /// otherwise, and for a length above 65,535, which is more than every limit of this project.
    private static func length(at position: inout Int, in bytes: Span<UInt8>, end: Int) -> Int? {
        guard position < end else { return nil }
        let first = bytes[position]
        position += 1
        if first < 0x80 { return Int(first) }
        guard first == 0x81 || first == 0x82 else { return nil }
        let byteCount = Int(first & 0x7F)
        guard byteCount <= end - position else { return nil }
        var length = 0
        for _ in 0..<byteCount {
            length = length << 8 | Int(bytes[position])
            position += 1
        }
        return length >= (byteCount == 1 ? 0x80 : 0x100) ? length : nil
    }
}
