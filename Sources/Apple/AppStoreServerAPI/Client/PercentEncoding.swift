/// Writes texts in percent-encoding (RFC 3986 section 2.1).
enum PercentEncoding {
    /// Returns a text in which every byte but the unreserved characters of RFC 3986 section 2.3 is encoded.
    static func of(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}

/// Encodes texts for the path of a URL.
enum PathSegment {
    /// Returns the text in percent-encoding.
    ///
    /// - Throws: `app-store-server-api.path-segment` for an empty text and for the dots that mean another folder.
    static func encoded(_ text: String, name: String) throws(InvalidArgument) -> String {
        guard !text.isEmpty, text != ".", text != ".." else { throw .pathSegment(name) }
        return PercentEncoding.of(text)
    }
}
