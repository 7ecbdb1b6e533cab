internal import Vocabulary

/// Text made safe for a log: nothing in it can end a line, a value or a terminal's patience.
enum LogText {
    /// A value of `key=value`: bare where that is unmistakable, else in quotes.
    static func appendValue(_ text: String, to line: inout [UInt8]) {
        let isBare =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar != "\"" && scalar != "=" && scalar != "\\"
                    && !DisplayText.isActive(scalar)
            }
        if isBare { line += text.utf8 } else { appendQuoted(text, to: &line) }
    }

    /// RFC 3339 to the millisecond. A moment before the year 0 or after 9999 has no such text and is written as the nearest
    /// that has one.
    static func time(_ milliseconds: Int64) -> String {
        let moment = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        return CivilTime(milliseconds: moment).millisecondDescription
    }

    /// The number of some counters as their name: 16 hexadecimal digits.
    static func instance(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// A string in quotes, escaped as JSON is; also used in logfmt lines, so that one rule holds for both.
    static func appendQuoted(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": line += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
            case "\0": line += "\u{FFFD}".utf8  // strict readers, ours among them, refuse an escaped NUL
            case "\n": line += "\\n".utf8
            case "\r": line += "\\r".utf8
            case "\t": line += "\\t".utf8
            case _ where DisplayText.isActive(scalar):
                let digits = String(scalar.value, radix: 16)
                line += "\\u\(String(repeating: "0", count: max(0, 4 - digits.utf8.count)))\(digits)".utf8
            default: line += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// A value of a length that leaves room for others.
    static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard text.utf8.count > TelemetryLimits.valueCharacters,
            scalars.count > TelemetryLimits.valueCharacters
        else { return text }
        return String(scalars.prefix(TelemetryLimits.valueCharacters - 1)) + "…"
    }

    /// A key: letters, digits, `.`, `_` and `-`; whatever else becomes `_`.
    static func key(_ text: String) -> String {
        guard !text.isEmpty else { return "_" }
        let bytes = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
