internal import Vocabulary

/// A text of the source that is compared byte by byte, as the service compares it. Swift's `String` treats two
/// encodings of the same accented letter as equal.
package struct ByteComparedString: Hashable, Comparable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) {
        self.text = text
    }

    package static func == (left: ByteComparedString, right: ByteComparedString) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package static func < (left: ByteComparedString, right: ByteComparedString) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}
