/// Escapes characters in text that comes from files, requests and servers, before a terminal, a log or a page shows it.
///
/// All writers share this one list of characters. Each writer escapes them in its own form: JSON and log lines as
/// `\u202E`, plain text as `\u{202e}`.
///
///     let safe = DisplayText.escaped(messageOfServer)
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

    /// Returns the name of a character as Unicode writes it: `U+202E`.
    public static func codePoint(_ scalar: Unicode.Scalar) -> String {
        "U+" + HexadecimalDigits.text(of: scalar.value, count: 4, uppercase: true)
    }

    /// Returns the text with every active character written as in `\u{1b}`.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - keepsLines: true to leave line feeds as they are.
    /// - Returns: the text without active characters, except for line feeds that stay.
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
