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
