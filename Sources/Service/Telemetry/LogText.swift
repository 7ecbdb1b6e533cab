internal import Vocabulary

/// Makes text safe for a log line: the text cannot end a line or a value, and a terminal acts on none of it.
enum LogText {
    /// Appends a value of `key=value`: without quotes when no reader can mistake it, else in quotes.
    static func appendValue(_ text: String, to line: inout [UInt8]) {
        let isBare =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar != "\"" && scalar != "=" && scalar != "\\"
                    && !DisplayText.isActive(scalar)
            }
        if isBare { line += text.utf8 } else { appendQuoted(text, to: &line) }
    }

    /// Returns the time as RFC 3339 text with milliseconds. RFC 3339 has no text for times before the year 0 or after
    /// 9999; such a time becomes the nearest one that has a text.
    static func time(_ milliseconds: Int64) -> String {
        let moment = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        return CivilTime(milliseconds: moment).millisecondDescription
    }

    /// Returns the number of a set of counters as 16 hexadecimal digits.
    static func instance(_ number: UInt64) -> String {
        HexadecimalDigits.text(of: number, count: 16)
    }

    /// Appends a string in quotes with JSON escapes. Lines in logfmt use the same escapes, so one rule holds for both
    /// formats.
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
                line += "\\u\(HexadecimalDigits.text(of: scalar.value, count: 4))".utf8
            default: line += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// Returns the text cut to ``TelemetryLimits/valueCharacters``, so that the other fields still fit in the line.
    static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard text.utf8.count > TelemetryLimits.valueCharacters,
            scalars.count > TelemetryLimits.valueCharacters
        else { return text }
        return String(scalars.prefix(TelemetryLimits.valueCharacters - 1)) + "…"
    }

    /// Returns the text as a key: letters, digits, `.`, `_` and `-`. Every other byte becomes `_`, and so does an empty
    /// text.
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
