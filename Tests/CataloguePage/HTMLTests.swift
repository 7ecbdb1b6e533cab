@testable import Catalogue
import Testing

@Suite("Text in HTML")
struct HTMLTests {
    /// A text, and how it stands between tags and in an attribute.
    static let rows: [(text: String, content: String, attribute: String)] = [
        ("", "", ""),
        ("plain é 日本 🙂", "plain é 日本 🙂", "plain é 日本 🙂"),
        ("<script>", "&lt;script&gt;", "&lt;script&gt;"),
        ("</style><!--", "&lt;/style&gt;&lt;!--", "&lt;/style&gt;&lt;!--"),
        ("a & b &lt; &amp;", "a &amp; b &amp;lt; &amp;amp;", "a &amp; b &amp;lt; &amp;amp;"),
        ("\" onload='x'", "&quot; onload=&#39;x&#39;", "&quot; onload=&#39;x&#39;"),
        ("\u{202E}abc", mark("U+202E") + "abc", "[U+202E]abc"),
        ("a\u{200B}b\u{AD}c", "a\(mark("U+200B"))b\(mark("U+00AD"))c", "a[U+200B]b[U+00AD]c"),
        ("\u{0}\u{7F}\u{9B}", mark("U+0000") + mark("U+007F") + mark("U+009B"), "[U+0000][U+007F][U+009B]"),
        ("\u{FEFF}\u{2028}", mark("U+FEFF") + mark("U+2028"), "[U+FEFF][U+2028]"),
        ("\u{FFFF}\u{1FFFE}", mark("U+FFFF") + mark("U+1FFFE"), "[U+FFFF][U+1FFFE]"),
        ("a\r\nb", "a\(mark("U+000D"))\(mark("U+000A"))b", "a[U+000D][U+000A]b"),
        ("👩\u{200D}💻\u{FE0F}", "👩\u{200D}💻\u{FE0F}", "👩\u{200D}💻\u{FE0F}"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم", "می\u{200C}خواهم"),
    ]

    private static func mark(_ name: String) -> String { "<span class=\"u\">\(name)</span>" }

    private static func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

    @Test("is escaped", arguments: rows)
    func escaping(row: (text: String, content: String, attribute: String)) {
        #expect(Self.text("<p>\(row.text)</p>") == "<p>\(row.content)</p>")
        #expect(Self.text("<p lang=\"\(attribute: row.text)\">") == "<p lang=\"\(row.attribute)\">")
        #expect(Self.text("\(name: row.text)") == "<bdi>\(row.content)</bdi>")
    }

    @Test("is never markup: of every character, nothing is left that begins a tag, a value or a reference")
    func everyCharacter() {
        for scalar in (0...0x10FFFF).compactMap(Unicode.Scalar.init) {
            var bytes: [UInt8] = []
            HTMLEscape.appendAttribute(String(scalar), to: &bytes)
            if (0xFDD0...0xFDEF).contains(scalar.value) { #expect(bytes.first == UInt8(ascii: "[")) }
            let isActive = bytes.contains {
                [0x3C, 0x3E, 0x22, 0x27].contains($0) || $0 < 0x20 || $0 == 0x7F
            }
            #expect(!isActive, "\(scalar.value)")
        }
    }

    @Test("keeps the line breaks of a message, each with its mark")
    func lines() {
        #expect(Self.text("\(prose: "a\nb<")") == "a\(Self.mark("U+000A"))\nb&lt;")
    }

    @Test(
        "gives places names that fit an id and a link",
        arguments: [
            (["m", "value_reminder"], "m.value_reminder"), (["t", "a-b", "zh-Hans"], "t.a-b.zh-Hans"),
            (["m", "a b"], "m.a~20b"), (["m", "\"><"], "m.~22~3e~3c"), (["m", "a.b"], "m.a~2eb"),
            (["m", "é"], "m.~c3~a9"), (["m", "\u{1}"], "m.~01"),
        ]
    )
    func anchors(parts: [String], expected: String) {
        #expect(HTMLAnchor.id(parts[0], parts[1]) == expected || parts.count == 3)
        if parts.count == 3 { #expect(HTMLAnchor.id(parts[0], parts[1], parts[2]) == expected) }
    }
}
