/// Escapes characters in text that comes from files, requests and servers, before a terminal, a log or a page shows it.
///
/// All writers share this one list of characters. Each writer escapes them in its own form: JSON and log lines as `\u202E`,
/// plain text as `\u{202e}`.
public enum DisplayText {
    /// Returns true when a terminal, or a reader of lines, acts on the character instead of showing it: control
    /// characters (C0, DEL, C1), line and paragraph separators, the marks that turn the direction of writing (Unicode's
    /// Bidi_Control), and the byte order mark.
    @inlinable
    public static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Returns true when nothing is shown for the character, so that a reader does not notice it. The joiners U+200C and
    /// U+200D and the variation selectors are not among these characters: emoji, Persian and Indic scripts need them.
    public static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00AD, 0x034F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B, 0x2060...0x2065,
            0x206A...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0xE0000...0xE0001:
            true
        default: false
        }
    }

    public static func codePoint(_ scalar: Unicode.Scalar) -> String {
        "U+" + HexadecimalDigits.text(of: scalar.value, count: 4, uppercase: true)
    }

    public static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isActive) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isActive(scalar), !(keepsLines && scalar == "\n") {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

public enum CountText {
    public static func of(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

public enum DurationText {
    public static func of(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
            (seconds % 60, "s"),
        ]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return shown.isEmpty ? "0 s" : shown.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}

extension String {
    /// Returns true when both texts are the same bytes of UTF-8. Swift calls two texts equal when Unicode says that they look
    /// alike, such as é in one character and in two; whoever keeps or compares bytes needs more.
    public func hasSameBytes(as other: String) -> Bool {
        guard self == other else { return false }
        let (own, others) = (utf8Span, other.utf8Span)
        // Texts of ASCII look alike only when they are the same. That is known without looking at them.
        return own.isKnownASCII && others.isKnownASCII || utf8.elementsEqual(other.utf8)
    }
}
