public struct JSONPosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, from 1. Lines end with a line feed.
    public let line: Int
    /// The column, from 1, counted in Unicode code points.
    public let column: Int
    /// The offset from the start of the text, in bytes.
    public let byteOffset: Int

    /// The position of the first byte of any text.
    public static let start = JSONPosition(line: 1, column: 1, byteOffset: 0)

    public init(line: Int, column: Int, byteOffset: Int) {
        self.line = line
        self.column = column
        self.byteOffset = byteOffset
    }

    /// Makes a position by counting lines and columns up to `byteOffset`. An offset outside the text is moved to its nearest
    /// end.
    public init(byteOffset: Int, in text: Span<UInt8>) {
        let offset = max(0, min(byteOffset, text.count))
        var line = 1
        var column = 1
        for index in 0..<offset {
            let byte = text[index]
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {  // only the first byte of a code point counts
                column += 1
            }
        }
        self.init(line: line, column: column, byteOffset: offset)
    }

    /// Returns true when `left` is nearer to the start of the text.
    public static func < (left: JSONPosition, right: JSONPosition) -> Bool {
        left.byteOffset < right.byteOffset
    }

    /// `line:column`, as compilers print it.
    public var description: String { "\(line):\(column)" }
}
