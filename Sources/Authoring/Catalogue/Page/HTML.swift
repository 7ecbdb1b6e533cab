internal import System

/// HTML in which no text from outside is markup: an interpolated string is escaped, and only an interpolated `HTML` is not.
struct HTML: ExpressibleByStringInterpolation {
    private(set) var bytes: [UInt8]

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount _: Int) { bytes.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

        /// A character that a browser would act on, or show nothing for, becomes a mark with its number.
        mutating func appendInterpolation(_ text: String) {
            HTMLEscape.appendText(text, keepsLines: false, to: &bytes)
        }

        /// A text of a message. A line break stays one, with its mark.
        mutating func appendInterpolation(prose text: String) {
            HTMLEscape.appendText(text, keepsLines: true, to: &bytes)
        }

        /// The value of an attribute, or text where HTML takes no elements, such as in a title.
        mutating func appendInterpolation(attribute text: String) {
            HTMLEscape.appendAttribute(text, to: &bytes)
        }

        /// A name from outside. The direction of its characters does not change that of the text around it.
        mutating func appendInterpolation(name: String) {
            bytes += "<bdi>".utf8
            appendInterpolation(name)
            bytes += "</bdi>".utf8
        }

        mutating func appendInterpolation(_ number: Int) { bytes += "\(number)".utf8 }

        mutating func appendInterpolation(_ html: HTML) { bytes += html.bytes }

        mutating func appendInterpolation(_ list: [HTML], separator: HTML = "") {
            for (place, html) in list.enumerated() {
                if place > 0 { bytes += separator.bytes }
                bytes += html.bytes
            }
        }

        /// What is part of the program, such as a style sheet.
        mutating func appendInterpolation(unescaped bytes: some Sequence<UInt8>) { self.bytes += bytes }
    }

    init(stringLiteral literal: String) { bytes = Array(literal.utf8) }
    init(stringInterpolation interpolation: StringInterpolation) { bytes = interpolation.bytes }
}

/// Escapes text for HTML (WHATWG HTML, section 13.1: "Writing HTML documents").
enum HTMLEscape {
    /// Adds text between tags. With `keepsLines` a line feed stands behind the mark of a line feed.
    static func appendText(_ text: String, keepsLines: Bool, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            guard isMarked(scalar) else {
                append(scalar, to: &bytes)
                continue
            }
            bytes += "<span class=\"u\">\(DisplayText.codePoint(scalar))</span>".utf8
            if keepsLines, scalar == "\n" { bytes.append(UInt8(ascii: "\n")) }
        }
    }

    /// Adds the value of an attribute, which stands between double quotes.
    static func appendAttribute(_ text: String, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            if isMarked(scalar) {
                bytes += "[\(DisplayText.codePoint(scalar))]".utf8
            } else {
                append(scalar, to: &bytes)
            }
        }
    }

    /// Returns true when a reader could not see the character, or a browser acts on it or does not take it: also the
    /// noncharacters, which HTML does not allow.
    private static func isMarked(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        guard value >= 0x7F || value < 0x20 else { return false }
        return DisplayText.isActive(scalar) || DisplayText.isInvisible(scalar) || value & 0xFFFE == 0xFFFE
            || (0xFDD0...0xFDEF).contains(value)
    }

    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case "&": bytes += "&amp;".utf8
        case "<": bytes += "&lt;".utf8
        case ">": bytes += "&gt;".utf8
        case "\"": bytes += "&quot;".utf8
        case "'": bytes += "&#39;".utf8
        default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
    }
}

/// Makes the `id` of an element from names, so that a link into a page stays the same when other names change.
enum HTMLAnchor {
    /// Returns the parts with a full stop between them. Names of a catalogue have no full stop, so no two lists of names have
    /// the same anchor. Every byte that is not a letter, a digit, `_` or `-` becomes `~` and two hexadecimal digits.
    static func id(_ parts: String...) -> String {
        parts.map(escaped).joined(separator: ".")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                result += "~" + (byte < 16 ? "0" : "") + digits
            }
        }
        return result
    }
}
