public import Vocabulary

/// Makes text safe for a log line: the text cannot end a line or a value, and a terminal acts on none of it.
@usableFromInline
enum LogText {
    /// Appends a value of `key=value`: without quotes when no reader can mistake it, else in quotes.
    static func appendValue(_ text: String, to line: inout TextBuffer) {
        let isBare =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar != "\"" && scalar != "=" && scalar != "\\"
                    && !DisplayText.isActive(scalar)
            }
        if isBare { line.append(string: text) } else { appendQuoted(text, to: &line) }
    }

    /// Appends the time as RFC 3339 text with milliseconds. RFC 3339 has no text for times before the year 0 or after
    /// 9999; such a time becomes the nearest one that has a text.
    @usableFromInline
    static func appendTime(_ milliseconds: Int64, to line: inout TextBuffer) {
        line.append(CivilTime(milliseconds: min(max(milliseconds, earliestMilliseconds), latestMilliseconds)))
    }

    /// The bounds of the years 0 and 9999.
    private static let earliestMilliseconds: Int64 = -62_167_219_200_000
    private static let latestMilliseconds: Int64 = 253_402_300_799_999

    /// Appends a string in quotes with JSON escapes. Lines in logfmt use the same escapes, so one rule holds for both
    /// formats.
    @usableFromInline
    static func appendQuoted(_ text: String, to line: inout TextBuffer) {
        line.append(UInt8(ascii: "\""))
        let start = line.count
        line.append(string: text)
        line.escape(from: start)
        line.append(UInt8(ascii: "\""))
    }

    fileprivate static func append(escaping scalar: Unicode.Scalar, to line: inout TextBuffer) {
        switch scalar {
        case "\"": line.append("\\\"")
        case "\\": line.append("\\\\")
        case "\0": line.append("\u{FFFD}")  // strict readers, ours among them, refuse an escaped NUL
        case "\n": line.append("\\n")
        case "\r": line.append("\\r")
        case "\t": line.append("\\t")
        case _ where DisplayText.isActive(scalar):
            line.append("\\u")
            line.append(string: HexadecimalDigits.text(of: scalar.value, count: 4))
        default: line.append(string: String(scalar))
        }
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

extension TextBuffer {
    /// Gives the text from byte `start` on the escapes that it needs within quotes.
    package mutating func escape(from start: Int) {
        guard !isPlain(from: start) else { return }
        let text = string(from: start)
        cut(to: start)
        for scalar in text.unicodeScalars { LogText.append(escaping: scalar, to: &self) }
    }

    /// Appends a literal and behind it a string with quotes and escapes, or `null`.
    @inlinable
    @inline(__always)
    package mutating func append(_ literal: StaticString, _ value: String?) {
        append(literal)
        if let value { LogText.appendQuoted(value, to: &self) } else { append("null") }
    }

    /// Appends a literal and behind it a number.
    @inlinable
    @inline(__always)
    package mutating func append(_ literal: StaticString, _ value: UInt64) {
        append(literal)
        append(decimal: value)
    }

    /// Appends a literal and behind it a number.
    @inlinable
    @inline(__always)
    package mutating func append(_ literal: StaticString, _ value: Int64) {
        append(literal)
        append(decimal: value)
    }

    /// Appends a literal and behind it the characters of a string that needs no escape.
    @inlinable
    @inline(__always)
    package mutating func append(_ literal: StaticString, plain value: String) {
        append(literal)
        append(string: value)
    }

    /// Appends a literal and behind it a time without quotes.
    @inlinable
    @inline(__always)
    package mutating func append(_ literal: StaticString, timeMilliseconds: Int64) {
        append(literal)
        LogText.appendTime(timeMilliseconds, to: &self)
    }
}
