import JSON
import Testing

@Suite("An accepted JSON text")
struct JSONValueTests {
    @Test(
        "has exact integers, and no other value is an integer",
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9007199254740993", 9_007_199_254_740_993), ("1.0", nil), ("1e3", nil), ("true", nil),
            ("\"1\"", nil),
            ("null", nil), ("[1]", nil), ("{}", nil),
        ] as [(String, Int64?)]
    )
    func integers(text: String, expected: Int64?) throws {
        #expect(try parse(text).int64 == expected)
    }

    @Test(
        "distinguishes real numbers from integers",
        arguments: [
            ("1.5", 1.5), ("1e3", 1000), ("-0.0", -0.0), ("1e-400", 0), ("0.1", 0.1), ("1", nil),
            ("true", nil),
        ] as [(String, Double?)]
    )
    func reals(text: String, expected: Double?) throws {
        #expect(try parse(text).real == expected)
    }

    @Test(
        "resolves escapes in strings, whether they are copied or lent",
        arguments: [
            (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9é""#, "éé"),
            (#""\ud83d\ude00😀""#, "😀😀"), (#""\u007f\uffff""#, "\u{7F}\u{FFFF}"),
        ]
    )
    func strings(text: String, expected: String) throws {
        let value = try parse(text)
        #expect(value.string == expected)
        let lent = value.withUTF8 { bytes in
            var copy: [UInt8] = []
            for index in bytes.indices { copy.append(bytes[index]) }
            return copy
        }
        #expect(lent == Array(expected.utf8))
    }

    @Test("finds members by name and keeps their order")
    func members() throws {
        let value = try parse(#"{"z":1,"é":2,"a":{"":3}}"#)
        #expect(value.members.map(\.name) == ["z", "é", "a"])
        #expect(value.members.map(\.value.int64) == [1, 2, nil])
        #expect(value.member("z")?.int64 == 1)
        #expect(value.member("é")?.int64 == 2)
        #expect(value.member(named: "é")?.int64 == 2)
        #expect(value.member("a")?.member("")?.int64 == 3)
        #expect(value.member("A") == nil)
        #expect(value.member(named: "zz") == nil)
        #expect(value.count == 3)
        #expect(value.element(at: 0) == nil)
        #expect(value.elements.isEmpty)
    }

    @Test("has elements only inside its bounds")
    func elements() throws {
        let value = try parse("[10, [], \"x\"]")
        #expect(value.count == 3)
        #expect(value.element(at: 0)?.int64 == 10)
        #expect(value.element(at: 3) == nil)
        #expect(value.element(at: -1) == nil)
        #expect(value.member("0") == nil)
        #expect(value.members.isEmpty)
        #expect(value.elements.map(\.kind) == [.integer, .array, .string])
    }
}

@Suite("A JSON text that is written")
struct JSONWrittenTests {
    @Test(
        "escapes characters that a terminal acts on, and no others",
        arguments: [
            ("plain é \u{2063}🙂\u{FFFF}", "\"plain é \u{2063}🙂\u{FFFF}\""),
            ("\u{7F}\u{80}\u{9F}\u{A0}", "\"\\u007F\\u0080\\u009F\u{A0}\""),
            (
                "\u{61B}\u{61C}\u{200D}\u{200E}\u{200F}\u{2010}",
                "\"\u{61B}\\u061C\u{200D}\\u200E\\u200F\u{2010}\""
            ),
            ("\u{2029}\u{202A}\u{202E}\u{202F}", "\"\\u2029\\u202A\\u202E\u{202F}\""),
            ("\u{2065}\u{2066}\u{2069}\u{206A}", "\"\u{2065}\\u2066\\u2069\u{206A}\""),
            ("\u{FEFE}\u{FEFF}\u{1B}", "\"\u{FEFE}\\uFEFF\\u001B\""),
        ]
    )
    func active(text: String, expected: String) throws {
        let written = JSONNode.string(text).serialized()
        #expect(String(decoding: written, as: UTF8.self) == expected)
        #expect(try parse(expected).string == text)
        // Names of members are escaped in the same way.
        let object = JSONNode.object([(text, .null)]).serialized(pretty: true)
        #expect(String(decoding: object, as: UTF8.self) == "{\n  \(expected): null\n}")
    }
}
