/// The values that RFC 8259 allows and jansson does not read: numbers that fit neither 64 bits nor a double, and strings with
/// `\u0000` or with half of a surrogate pair.
///
/// Whoever keeps a signed payload must not refuse it because of such a value, which may be in a member that nobody reads.
struct UnreadableValues {
    private let text: [UInt8]
    private var output: [UInt8] = []
    /// The place up to which ``output`` has the text.
    private var copied = 0
    private var position = 0

    /// Returns the text with `""` in place of each such value, and with U+FFFD in place of each such character of a name; nil when
    /// the text has none. A UTF-8 text that is not JSON does not become JSON by that. Names that differ only in such characters
    /// become equal.
    static func replaced(in text: Span<UInt8>) -> [UInt8]? {
        var values = UnreadableValues(text: unsafe text.withUnsafeBufferPointer { unsafe Array($0) })
        values.replaceAll()
        guard values.copied > 0 else { return nil }
        values.copy(to: values.text.count)
        return values.output
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func replaceAll() {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""): readString()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
            default: position += 1
            }
        }
    }

    private mutating func copy(to end: Int) {
        output += text[copied..<end]
        copied = end
    }

    private mutating func replace(_ range: Range<Int>, by replacement: StaticString) {
        copy(to: range.lowerBound)
        output += replacement.description.utf8
        copied = range.upperBound
    }

    // MARK: - Strings

    private mutating func readString() {
        let start = position
        var unreadable: [Int] = []
        var isSound = true
        position += 1
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            guard text[position] == UInt8(ascii: "\\") else {
                if text[position] < 0x20 { isSound = false }
                position += 1
                continue
            }
            let escape = escape(at: position)
            if escape.meaning == .unreadable { unreadable.append(position) }
            if escape.meaning == .none { isSound = false }
            position += escape.length
        }
        position += 1
        guard isSound, !unreadable.isEmpty, position <= text.count else { return }
        if isName {
            for place in unreadable { replace(place..<place + 6, by: #"\ufffd"#) }
        } else {
            replace(start..<position, by: #""""#)
        }
    }

    /// True when what stands before the position is a name.
    private var isName: Bool {
        JSONPrescan.firstNonWhitespace(text.span, from: position).map { text[$0] == UInt8(ascii: ":") }
            ?? false
    }

    /// What follows a backslash.
    private enum Meaning {
        case readable
        /// A character that jansson does not read.
        case unreadable
        /// No escape of JSON.
        case none
    }

    /// Returns the length of an escape with its backslash, and what it means.
    private func escape(at place: Int) -> (length: Int, meaning: Meaning) {
        guard let unit = unit(at: place) else {
            let isLetter = place + 1 < text.count && Self.letters.contains(text[place + 1])
            return (2, isLetter ? .readable : .none)
        }
        switch unit {
        case 0, 0xDC00...0xDFFF: return (6, .unreadable)
        case 0xD800...0xDBFF:
            let isPair = self.unit(at: place + 6).map { (0xDC00...0xDFFF).contains($0) } ?? false
            return isPair ? (12, .readable) : (6, .unreadable)
        default: return (6, .readable)
        }
    }

    private static let letters = Array(#""\/bfnrt"#.utf8)

    /// The code unit of an escape `\u` with four digits; nil for other text.
    private func unit(at place: Int) -> UInt32? {
        guard place + 6 <= text.count, text[place] == UInt8(ascii: "\\"), text[place + 1] == UInt8(ascii: "u")
        else { return nil }
        return JSONEscape.unit(text.span, at: place + 2)
    }

    // MARK: - Numbers

    private mutating func readNumber() {
        let start = position
        var isWhole = true
        if text[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard skipDigits() else { return }
        let hasLeadingZero = text[first] == UInt8(ascii: "0") && position - first > 1
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position += 1
            isWhole = false
            guard skipDigits() else { return }
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            isWhole = false
            if position < text.count,
                text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            guard skipDigits() else { return }
        }
        guard !hasLeadingZero else { return }
        let digits = String(decoding: text[start..<position], as: UTF8.self)
        let fits = isWhole ? Int64(digits) != nil : Double(digits)?.isFinite ?? true
        if !fits, !isName { replace(start..<position, by: #""""#) }
    }

    /// Moves behind digits. Returns false when there is none.
    private mutating func skipDigits() -> Bool {
        let start = position
        while position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) {
            position += 1
        }
        return position > start
    }
}
