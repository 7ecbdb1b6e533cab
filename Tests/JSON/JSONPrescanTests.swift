import JSON
import Testing

@Suite("The check of strings before jansson reads them")
struct JSONPrescanTests {
    @Test("finds a byte that no string may have at every place of a word", arguments: 0..<40)
    func places(place: Int) throws {
        for (byte, code) in [(0x00, "json.contains-nul"), (0x01, "json.syntax"), (0x1F, "json.syntax")] {
            let text = Self.text(UInt8(byte), at: place)
            let error = #expect(throws: JSONError.self) {
                try JSONDocument(parsing: text.span, limits: testLimits)
            }
            #expect(error?.code == code && error?.position?.byteOffset == place + 2)
        }
    }

    @Test("lets other bytes pass at every place of a word", arguments: 0..<40)
    func otherBytes(place: Int) throws {
        for byte: UInt8 in [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7E, 0x7F] {
            let text = Self.text(byte, at: place)
            let root = try JSONDocument(parsing: text.span, limits: testLimits).root
            #expect(root.element(at: 0)?.string.map { Array($0.utf8) } == Array(text[2..<42]))
        }
    }

    @Test("ends a string at a quote and keeps an escaped one, at every place of a word", arguments: 0..<40)
    func quotes(place: Int) throws {
        let letters = String(repeating: "a", count: place)
        #expect(try parse(#"["\#(letters)",[1]]"#).count == 2)
        #expect(try parse(#"["\#(letters)\"[[[[[[[[[[",2]"#).count == 2)
        #expect(try parse(#"["\#(letters)\\",[2]]"#).count == 2)
    }

    /// An array of one string of 40 bytes, with a byte at a place.
    private static func text(_ byte: UInt8, at place: Int) -> [UInt8] {
        var text = Array((#"[""# + String(repeating: "a", count: 40) + #""]"#).utf8)
        text[place + 2] = byte
        return text
    }
}
