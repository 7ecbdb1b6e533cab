/// Texts of files, of requests and of servers on their way to a terminal.
enum TerminalText {
    /// The text with every character that a terminal, or a reader of lines, acts upon written as `\u{1b}`: control
    /// characters (C0, DEL, C1), line and paragraph separators, and what turns the direction of writing.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isActive) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isActive(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
