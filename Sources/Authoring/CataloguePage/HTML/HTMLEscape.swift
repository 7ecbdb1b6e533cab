internal import Vocabulary

/// Escapes text for HTML (WHATWG HTML, section 13.1: "Writing HTML documents").
enum HTMLEscape {
    /// Adds text between tags.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - keepsLines: true to add a line feed behind the mark of a line feed.
    ///   - bytes: the document.
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
