import System
import Testing

@Suite("Text for a terminal")
struct DisplayTextTests {
    private static let active: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
        0xFEFF...0xFEFF,
    ]

    @Test("escapes exactly the characters of the list")
    func list() {
        let found = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter(DisplayText.isActive).map(\.value)
        #expect(found == Self.active.flatMap(Array.init))
    }

    @Test(
        "writes these characters as hexadecimal numbers",
        arguments: [
            ("", ""), ("plain é \u{2063}🙂", "plain é \u{2063}🙂"), ("a\u{1B}[2J", #"a\u{1b}[2J"#),
            ("\u{FEFF}x\u{61C}", #"\u{feff}x\u{61c}"#), ("one\ntwo\r\n", #"one\u{a}two\u{d}\u{a}"#),
        ]
    )
    func escaping(text: String, expected: String) {
        #expect(DisplayText.escaped(text) == expected)
    }

    @Test("keeps line feeds on request, and no other control character")
    func lines() {
        #expect(DisplayText.escaped("one\ntwo\r\n\u{9B}", keepsLines: true) == "one\ntwo\\u{d}\n\\u{9b}")
    }

    @Test("knows what nobody sees, and leaves what emoji and scripts need")
    func invisible() {
        let found = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter(DisplayText.isInvisible)
        #expect(found.count == 28)
        // A reader sees none of them, and each is one that Unicode lets a font leave out, or an annotation mark.
        for scalar in found {
            let isKnown =
                scalar.properties.isDefaultIgnorableCodePoint || (0xFFF9...0xFFFB).contains(scalar.value)
                || scalar.value == 0xE0000
            #expect(isKnown, "\(DisplayText.codePoint(scalar))")
        }
        for needed: Unicode.Scalar in [
            "\u{200C}", "\u{200D}", "\u{FE0F}", "\u{E0067}", " ", "\u{A0}", "\u{3000}",
        ] {
            #expect(!DisplayText.isInvisible(needed))
        }
    }

    @Test(
        "names characters as Unicode does",
        arguments: [
            ("\u{A}", "U+000A"), ("\u{202E}", "U+202E"), ("\u{E0001}", "U+E0001"), ("\u{10FFFF}", "U+10FFFF"),
        ]
            as [(Unicode.Scalar, String)]
    )
    func names(scalar: Unicode.Scalar, name: String) {
        #expect(DisplayText.codePoint(scalar) == name)
    }
}
