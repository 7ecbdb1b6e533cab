import JSON
import Support
import Testing

@Suite("An object that is written member by member")
struct JSONObjectWriterTests {
    @Test("has the same bytes as from `JSONNode`, for any texts and numbers")
    func bytes() {
        #expect(JSONObjectWriter().finished() == JSONNode.object([]).serialized())
        let all = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
        let others = String(
            String.UnicodeScalarView((0x600...0x2100).compactMap(Unicode.Scalar.init))
                + "\u{FEFF}\u{FEFE}\u{FFFF}🙂".unicodeScalars
        )
        let texts = [others, "", "plain", "\"", "\\", "a/b", "é\u{2063}\u{FFFF}🙂", "\u{7F}", "\0", all]
        var random = SeededGenerator(for: "object writer")
        for round in 0..<300 {
            let text = texts.randomElement(using: &random) ?? ""
            let number =
                round % 3 == 0
                ? Int64.min : round % 3 == 1 ? .max : Int64.random(in: -99...99, using: &random)
            var inner = JSONObjectWriter()
            inner.add("text", text)
            var writer = JSONObjectWriter(reservingByteCount: round)
            writer.add("number", number)
            writer.add("inner", inner)
            writer.add("text", text + String(repeating: "x", count: round))
            let node = JSONNode.object([
                ("number", .integer(number)), ("inner", .object([("text", .string(text))])),
                ("text", .string(text + String(repeating: "x", count: round))),
            ])
            #expect(writer.finished() == node.serialized())
        }
    }
}
