internal import JSON
internal import System

/// Reads the texts that subscribers see.
enum TextCheck {
    /// Reads a text. Reports an error for a text that Apple refuses, and a warning or note for what the author probably does not
    /// mean.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - limit: Apple's limit of the length. Apple does not say in which unit.
    /// - Returns: the text, or nil when the value is not a string.
    static func read(_ value: SourceValue, limit: Int) -> String? {
        guard let text = value.string else { return nil }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            value.report(.badValue, "an empty text")
            return text
        }
        checkLength(text, limit, value)
        checkCharacters(text, value)
        checkMeaning(text, value)
        return text
    }

    /// Compares a length in the three units that Apple's own libraries use: Swift counts graphemes, Python code points, Java
    /// UTF-16 units.
    private static func checkLength(_ text: String, _ limit: Int, _ value: SourceValue) {
        let counts = [text.count, text.unicodeScalars.count, text.utf16.count]
        guard counts.contains(where: { $0 > limit }) else { return }
        let units = "\(counts[0]) graphemes, \(counts[1]) code points, \(counts[2]) UTF-16 units"
        if counts.allSatisfy({ $0 > limit }) {
            value.report(.textTooLong, "\(units): longer than \(limit)", hint: "Apple's limit is \(limit)")
        } else {
            let hint = "Apple does not say in which unit it counts"
            value.report(.lengthUnclear, "\(units): some are more than \(limit)", hint: hint)
        }
    }

    private static func checkCharacters(_ text: String, _ value: SourceValue) {
        var reported: Set<String> = []
        for scalar in text.unicodeScalars {
            guard let (reason, words) = problem(scalar), reported.insert(words).inserted else { continue }
            value.report(reason, "\(words) \(DisplayText.codePoint(scalar))")
        }
        let ends = [text.unicodeScalars.first, text.unicodeScalars.last].compactMap { $0 }
        if ends.contains(where: \.properties.isWhitespace) {
            value.report(.oddText, "begins or ends with white space")
        }
    }

    /// Returns the reason for which a character should not be in a text.
    private static func problem(_ scalar: Unicode.Scalar) -> (CatalogueReason, String)? {
        switch scalar.value {
        case 0x0A, 0x0D, 0x2028, 0x2029: (.oddText, "a line break")
        case 0x00...0x1F, 0x7F...0x9F: (.badValue, "a control character")
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069:
            (.oddText, "a mark that turns the direction of writing")
        default: DisplayText.isInvisible(scalar) ? (.oddText, "an invisible character") : nil
        }
    }

    private static func checkMeaning(_ text: String, _ value: SourceValue) {
        if hasMarkup(text) {
            value.report(.oddText, "looks like HTML", hint: "Apple shows these characters as they are")
        }
        if text.contains(where: isEmoji) {
            value.report(.emoji, "an emoji", hint: "a screen reader reads its name aloud")
        }
        if hasPrice(text) {
            value.report(
                .price, "a price",
                hint: "prices differ by storefront, and a message is reviewed when it changes")
        }
    }

    /// Looks at each byte once: a text may be as long as the file.
    private static func hasMarkup(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var hasOpenTag = false
        var isInReference = false
        for (index, byte) in bytes.enumerated() {
            let isStart = index + 1 < bytes.count && isMarkupStart(bytes[index + 1], of: byte)
            switch byte {
            case UInt8(ascii: "<"):
                hasOpenTag = hasOpenTag || isStart
                isInReference = false
            case UInt8(ascii: "&"): isInReference = isStart
            case UInt8(ascii: ">") where hasOpenTag, UInt8(ascii: ";") where isInReference: return true
            default: isInReference = isInReference && (isLetterOrDigit(byte) || byte == UInt8(ascii: "#"))
            }
        }
        return false
    }

    /// Returns true when `next`, behind `<` or `&`, can begin a tag, a comment or a character reference.
    private static func isMarkupStart(_ next: UInt8, of mark: UInt8) -> Bool {
        let others: [UInt8] = mark == UInt8(ascii: "<") ? Array("/!".utf8) : Array("#".utf8)
        return isLetterOrDigit(next) && !(0x30...0x39).contains(next) || others.contains(next)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    private static func isEmoji(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first else { return false }
        if first.properties.isEmojiPresentation { return true }
        // A digit becomes an emoji by the characters behind it; alone it is a digit.
        return first.properties.isEmoji
            && character.unicodeScalars.contains { $0.value == 0xFE0F || $0.value == 0x20E3 }
    }

    private static let currencies: Set<String> = [
        "AUD", "BRL", "CAD", "CHF", "CNY", "EUR", "GBP", "INR", "JPY", "KRW", "MXN", "USD",
    ]

    /// Returns true when a currency stands beside a number, with or without a space.
    private static func hasPrice(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        func isDigit(_ index: Int) -> Bool {
            scalars.indices.contains(index) && scalars[index].properties.generalCategory == .decimalNumber
        }
        func isLetter(_ index: Int) -> Bool {
            scalars.indices.contains(index) && scalars[index].properties.isAlphabetic
        }
        func isBeside(_ start: Int, _ end: Int) -> Bool {
            let before = start > 0 && scalars[start - 1].properties.isWhitespace ? start - 2 : start - 1
            let after = end < scalars.count && scalars[end].properties.isWhitespace ? end + 1 : end
            return isDigit(before) || isDigit(after)
        }
        for index in scalars.indices {
            if scalars[index].properties.generalCategory == .currencySymbol, isBeside(index, index + 1) {
                return true
            }
            guard index + 3 <= scalars.count, !isLetter(index - 1), !isLetter(index + 3) else { continue }
            let code = String(String.UnicodeScalarView(scalars[index..<index + 3]))
            if currencies.contains(code), isBeside(index, index + 3) { return true }
        }
        return false
    }
}
