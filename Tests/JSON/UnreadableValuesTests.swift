@testable import JSON
import Testing

@Suite("Values that RFC 8259 allows and jansson does not read")
struct UnreadableValuesTests {
    private static let limits = JSONLimits(byteCount: 1 << 16, depth: 8)

    private static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONDocument.replacingUnreadable(in: Array(text.utf8).span, limits: limits).root
    }

    @Test(
        "are empty strings in the text that jansson reads",
        arguments: [
            ("9223372036854775808", #""""#), ("-9223372036854775809", #""""#), ("1e309", #""""#),
            (" -1.5E+999 ", #" "" "#), (#""\u0000""#, #""""#), (#""a\ud800""#, #""""#),
            (#""\udfff""#, #""""#),
            (#""\ud800\ud800\udc00""#, #""""#), (#""\ud800\n""#, #""""#),
            (#"[1,18446744073709551616,"\\\u0000","x"]"#, #"[1,"","","x"]"#),
            (
                #"{"a":1e999,"b":{"c":"\uDBFF"},"d":99999999999999999999}"#,
                #"{"a":"","b":{"c":""},"d":""}"#
            ),
            (#"{"a\u0000b" :"\u0000"}"#, #"{"a\ufffdb" :""}"#),
            (#"{"\ud800\udc00\udc00":1}"#, #"{"\ud800\udc00\ufffd":1}"#),
        ]
    )
    func replaced(text: String, readable: String) throws {
        let found = UnreadableValues.replaced(in: Array(text.utf8).span)
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == readable)
        #expect(throws: JSONError.self) {
            try JSONDocument(parsing: Array(text.utf8).span, limits: Self.limits)
        }
        _ = try Self.parse(text)
    }

    @Test(
        "are not found where there are none",
        arguments: [
            "", "9223372036854775807", "-9223372036854775808", "1e308", "1e-999", "-0.0", "[]", "{}",
            #""\u0001""#, #""\\u0000""#, #""\ud83d\ude00""#, #""\"18446744073709551616""#,
            #"{"18446744073709551616":"1e999"}"#,
            // Texts that are no JSON.
            "018446744073709551616", "-", "1.", "1e", "1e+", #""\u0000"#, #""\ud800"#, #""\u00"#, #"""#,
            #"\"#,
            #""\"#,
        ]
    )
    func kept(text: String) {
        #expect(UnreadableValues.replaced(in: Array(text.utf8).span) == nil)
    }

    @Test(
        "do not make JSON of a text that is none",
        arguments: [
            "1e999x", "[1e999", #"{"a":1e999,}"#, #"{"a":1e999,"a":1}"#, #"{\u0000:1}"#, "\"\\u0000\"\u{0}",
            #"{"\u0000":1,"\u0000":2}"#, "[18446744073709551616 1]", "[[[[[[[[[1e999]]]]]]]]]", "1e9991e999",
            "-18446744073709551616-", "+1e999", ".1e999", #"{1e999:1}"#, #"{18446744073709551616 :1}"#,
            #"{"a":"\q\u0000"}"#, #"{"a":"\u12\u0000"}"#, #"{"a":"\u0000\"}"#, "[\"\\u0000\u{1}\"]",
            "[\"\\u0000\n\"]",
            "[\"\\u0000\u{0}\"]", #"["\ud800\x"]"#,
        ]
    )
    func refused(text: String) {
        #expect(throws: JSONError.self) { try Self.parse(text) }
    }

    @Test("do not make a text of bytes that are no UTF-8")
    func notUTF8() {
        let text = Array(#"["\u0000"#.utf8) + [0xFF] + Array(#""]"#.utf8)
        let error = #expect(throws: JSONError.self) {
            try JSONDocument.replacingUnreadable(in: text.span, limits: Self.limits)
        }
        #expect(error?.code == "json.not-utf8")
    }

    @Test("leave every other value as it is")
    func others() throws {
        let root = try Self.parse(#"{"a":12345678901234567890,"b":"x","c":[true,null,1.5,-7],"d":"\ud800"}"#)
        #expect(root.member("a")?.string == "" && root.member("d")?.string == "")
        #expect(root.member("b")?.string == "x" && root.member("c")?.element(at: 3)?.int64 == -7)
    }

    @Test("do not lift the limits")
    func limits() {
        // The text has 603 bytes, and would have 303 after the replacement.
        let text = "[" + String(repeating: "1e999,", count: 100) + "1]"
        #expect(throws: JSONError.self) {
            try JSONDocument.replacingUnreadable(
                in: Array(text.utf8).span,
                limits: JSONLimits(byteCount: 400, depth: 8)
            )
        }
    }
}
