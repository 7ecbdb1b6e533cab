@testable import JSON
import Testing

struct Refusal: Sendable, CustomTestStringConvertible {
    let text: [UInt8]
    let code: String
    let line: Int?
    let column: Int

    init(_ text: String, _ code: String, line: Int? = 1, column: Int = 1) {
        self.init(Array(text.utf8), code, line: line, column: column)
    }

    init(_ text: [UInt8], _ code: String, line: Int? = 1, column: Int = 1) {
        self.text = text
        self.code = code
        self.line = line
        self.column = column
    }

    var testDescription: String {
        "\(code): \(String(decoding: text.prefix(40), as: UTF8.self).debugDescription)"
    }
}

let testLimits = JSONLimits(byteCount: 4096, depth: 8)

func parse(_ text: String, limits: JSONLimits = testLimits) throws -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8).span, limits: limits).root
}

@Suite("A refused JSON text")
struct JSONRefusalTests {
    static let syntax: [Refusal] = [
        Refusal("", "json.syntax"),
        Refusal("  \n ", "json.syntax", line: 2, column: 2),
        Refusal("{", "json.syntax", column: 2),
        Refusal("{\"a\"", "json.syntax", column: 5),
        Refusal("{\"a\":1,}", "json.syntax", column: 8),
        Refusal("[1,\n  2,]", "json.syntax", line: 2, column: 5),
        Refusal("[1 2]", "json.syntax", column: 4),
        Refusal("{\"a\" 1}", "json.syntax", column: 6),
        Refusal("{1:2}", "json.syntax", column: 2),
        Refusal("{a:2}", "json.syntax", column: 2),
        Refusal("[1}", "json.syntax", column: 3),
        Refusal("{]", "json.syntax", column: 2),
        Refusal("'a'", "json.syntax"),
        Refusal("nul", "json.syntax"),
        Refusal("nulls", "json.syntax"),
        Refusal("True", "json.syntax"),
        Refusal("NaN", "json.syntax"),
        Refusal("Infinity", "json.syntax"),
        Refusal("[-Infinity]", "json.syntax", column: 2),
        Refusal("01", "json.syntax"),
        Refusal("-", "json.syntax"),
        Refusal("+1", "json.syntax"),
        Refusal(".5", "json.syntax"),
        Refusal("1.", "json.syntax"),
        Refusal("1e", "json.syntax"),
        Refusal("0x10", "json.trailing-bytes", column: 2),
        Refusal("[1,/* no */2]", "json.syntax", column: 4),
        Refusal("// no\n1", "json.syntax"),
        Refusal("\u{FEFF}{}", "json.syntax"),  // a byte order mark
        Refusal("\u{00A0}{}", "json.syntax"),  // whitespace, but not JSON's
        Refusal("\u{000C}{}", "json.syntax"),
        Refusal("\"a", "json.syntax", column: 3),
        Refusal("\"\\", "json.syntax", column: 2),
        Refusal("\"a\nb\"", "json.syntax", column: 3),
        Refusal("\"a\tb\"", "json.syntax", column: 3),
        Refusal("\"é\u{1F}\"", "json.syntax", column: 3),
        Refusal("\"\\x41\"", "json.syntax", column: 3),
        Refusal("\"\\u12G4\"", "json.syntax", column: 3),
    ]

    static let strictness: [Refusal] = [
        Refusal("{\"a\":1,\"a\":1}", "json.duplicate-key", column: 8),
        Refusal("{\"a\":1,\n \"b\":[{\"é\":1, \"\\u00e9\":2}]}", "json.duplicate-key", line: 2, column: 15),
        Refusal("{\"\":1,\"\":1}", "json.duplicate-key", column: 7),
        Refusal("{\"a\\\"\":1,\"a\\\"\":1}", "json.duplicate-key", column: 10),
        Refusal("{} {}", "json.trailing-bytes", column: 4),
        Refusal("{}\n\n x", "json.trailing-bytes", line: 3, column: 2),
        Refusal("1,", "json.trailing-bytes", column: 2),
        Refusal("\"a\"\"b\"", "json.trailing-bytes", column: 4),
        Refusal("[]]", "json.trailing-bytes", column: 3),
        Refusal("{}\u{0B}", "json.trailing-bytes", column: 3),
        Refusal("null\u{FEFF}", "json.trailing-bytes", column: 5),
        Refusal("9223372036854775808", "json.number-out-of-range"),
        Refusal("-9223372036854775809", "json.number-out-of-range"),
        Refusal("{\"unknown\":[1, 123456789012345678901234567890]}", "json.number-out-of-range", column: 16),
        Refusal("1e400", "json.number-out-of-range"),
        Refusal("[-1e400]", "json.number-out-of-range", column: 2),
        Refusal("\"\\ud800\"", "json.syntax"),
        Refusal("\"\\ud800\\u0041\"", "json.syntax"),
        Refusal("\"\\udc00\"", "json.syntax"),
    ]

    static let bytes: [Refusal] = [
        Refusal([0x31, 0], "json.contains-nul", column: 2),  // jansson 2.14 accepts a number and one NUL
        Refusal([0x31, 0x2E, 0x35, 0], "json.contains-nul", column: 4),
        Refusal([0x7B, 0x7D, 0], "json.contains-nul", column: 3),
        Refusal([0], "json.contains-nul"),
        Refusal([0x22, 0x61, 0, 0x22], "json.contains-nul", column: 3),
        Refusal("\"a\\u0000b\"", "json.contains-nul", column: 3),
        Refusal("{\"a\\u0000b\":1}", "json.contains-nul", column: 4),
        Refusal([0x22, 0xFF, 0x22], "json.not-utf8", column: 2),
        Refusal([0x22, 0xC3, 0xA9, 0x80, 0x22], "json.not-utf8", column: 3),
        Refusal([0x22, 0xC0, 0xAF, 0x22], "json.not-utf8", column: 2),  // overlong
        Refusal([0x22, 0xED, 0xA0, 0x80, 0x22], "json.not-utf8", column: 2),  // a surrogate
        Refusal([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], "json.not-utf8", column: 2),  // above U+10FFFF
        Refusal([0x22, 0xE2, 0x82], "json.not-utf8", column: 2),  // cut short
        Refusal([0xFF, 0xFE, 0x31, 0x00], "json.not-utf8"),  // UTF-16
    ]

    @Test("has a stable code and an exact position", arguments: syntax + strictness + bytes)
    func refuses(_ row: Refusal) {
        let error = #expect(throws: JSONError.self) {
            try JSONDocument(parsing: row.text.span, limits: testLimits)
        }
        #expect(error?.code == row.code)
        #expect(error?.position?.line == row.line)
        #expect(error?.position?.column == row.column)
    }

    @Test("is too large by one byte, before anything else is checked")
    func size() throws {
        let limits = JSONLimits(byteCount: 4, depth: 8)
        _ = try parse("[11]", limits: limits)
        let error = #expect(throws: JSONError.self) { try parse("\0\0\0\0\0", limits: limits) }
        #expect(error == .tooLarge(byteCount: 5, limitBytes: 4))
        #expect(error?.position == nil)
    }

    @Test("is too deep by one level, before jansson parses", arguments: [0, 1, 3, 2000])
    func depth(limit: Int) throws {
        let limits = JSONLimits(byteCount: 1 << 20, depth: limit)
        let deepest = String(repeating: "[", count: limit) + "1" + String(repeating: "]", count: limit)
        _ = try parse(deepest, limits: limits)
        let deeper = String(repeating: "[", count: limit) + "{" + "never closed and no JSON"
        let error = #expect(throws: JSONError.self) { try parse(deeper, limits: limits) }
        let place = JSONPosition(line: 1, column: limit + 1, byteOffset: limit)
        #expect(error == .tooDeep(place))
    }

    @Test("counts no brackets inside strings")
    func bracketsInStrings() throws {
        let value = try parse(#"["[[[[[[[[[[\"[[[[[[[[", "\\", {"{{{{{{{{{{": "]"}]"#)
        #expect(value.count == 3)
    }

    @Test("counts columns in code points and offsets in bytes")
    func position() {
        let error = #expect(throws: JSONError.self) { try parse("{\"é\u{1F600}\":\n\"ü\" x}") }
        #expect(error?.position == JSONPosition(line: 2, column: 5, byteOffset: 16))
    }

    @Test("is never quoted in the error")
    func secrecy() {
        for text in [
            "{\"secret\" \"secret\"}", "[secret]", "\"secret\\x\"", "{\"secret\":1,\"secret\":2}", "secret",
        ] {
            let error = #expect(throws: JSONError.self) { try parse(text) }
            #expect(error.map { "\($0)".contains("secret") } == false)
        }
    }
}
