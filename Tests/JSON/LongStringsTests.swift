@testable import JSON
import Support
import Testing

@Suite("Long strings, which jansson does not read")
struct LongStringsTests {
    private static let long = String(repeating: "aé😀-", count: 200)
    private static let control = "\u{1}"
    private static let limits = JSONLimits(byteCount: 1 << 20, depth: 8)

    private static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONDocument(parsing: Array(text.utf8).span, limits: limits).root
    }

    private static func hasLongStrings(_ text: [UInt8]) -> Bool {
        LongStrings(in: text.span) != nil
    }

    @Test("are the values of their places")
    func values() throws {
        let text = #"{"a":"\#(Self.long)1" ,"b":["\#(Self.long)2", "short", {"c":"\#(Self.long)3"}],"d":1}"#
        #expect(Self.hasLongStrings(Array(text.utf8)))
        let root = try Self.parse(text)
        let list = try #require(root.member("b"))
        #expect(root.member("a")?.string == Self.long + "1" && list.element(at: 0)?.string == Self.long + "2")
        #expect(list.element(at: 1)?.string == "short" && root.member("d")?.int64 == 1)
        #expect(list.element(at: 2)?.member("c")?.string == Self.long + "3")
        #expect(root.members.map(\.name) == ["a", "b", "d"])
    }

    @Test("and strings that look like their marks are parsed as they are written")
    func marks() throws {
        let root = try Self.parse(#"["\#(Self.long)","\#u{7F}0\#u{7F}","\u007f0\u007f","\#u{7F}9\#u{7F}"]"#)
        #expect(
            root.elements.map(\.string) == [Self.long, "\u{7F}0\u{7F}", "\u{7F}0\u{7F}", "\u{7F}9\u{7F}"])
    }

    @Test(
        "leave the code and the place of an error as they are",
        arguments: [
            (#"{"a":"\#(long)",}"#, "json.syntax"), (#"{"a":"\#(long)","a":1}"#, "json.duplicate-key"),
            (#"{"a":"\#(long)"} x"#, "json.trailing-bytes"), (#"{"a":"\#(long)""#, "json.syntax"),
            (#"["\#(long)",1e999]"#, "json.number-out-of-range"),
            (#"["\#(long)" "b"]"#, "json.syntax"), (#"["\#(long)","b]"#, "json.syntax"),
            (#"[x"\#(long)",1]"#, "json.syntax"), (#"["\#(long)\#(control)"]"#, "json.syntax"),
        ]
    )
    func refusals(text: String, code: String) throws {
        let error = #expect(throws: JSONError.self) { try Self.parse(text) }
        #expect(error?.code == code)
        // A text with an escape is read whole. The escape is behind the place of the error, or the text ends with it.
        let bytes = Array(text.utf8)
        let whole = #expect(throws: JSONError.self) { try Self.parse(text + #"["\\"]"#) }
        if let place = error?.position?.byteOffset, place < bytes.count, code != "json.trailing-bytes" {
            #expect(whole?.position == error?.position)
        }
    }

    @Test("never change a value: random trees are read as they were written")
    func random() throws {
        var random = SeededGenerator(for: "LongStringsTests")
        var longCount = 0
        for _ in 0..<1000 {
            let tree = Self.tree(depth: 4, &random)
            let text = tree.serialized()
            if Self.hasLongStrings(text) { longCount += 1 }
            let root = try JSONDocument(parsing: text.span, limits: Self.limits).root
            #expect(JSONNode(root).serialized() == text)
        }
        #expect(longCount > 40)
    }

    private static func tree(depth: Int, _ random: inout SeededGenerator) -> JSONNode {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
        case 0: return .integer(Int64.random(in: -9...9, using: &random))
        case 1, 2: return .string(text(&random))
        case 3, 4:
            let count = Int.random(in: 0...4, using: &random)
            return .array((0..<count).map { _ in tree(depth: depth - 1, &random) })
        default:
            let count = Int.random(in: 0...4, using: &random)
            return .object((0..<count).map { ("\($0)" + text(&random), tree(depth: depth - 1, &random)) })
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...3, using: &random) == 0 ? Int.random(in: 400...700, using: &random) : 5
        let rare = Int.random(in: 0...30, using: &random)
        let last = rare == 0 ? "\u{7F}" : rare == 1 ? "\\" : ""
        let characters = ["a", "b", ":", ",", "]", "é"]
        return (0..<count).map { _ in characters.randomElement(using: &random) ?? "" }.joined() + last
    }
}
