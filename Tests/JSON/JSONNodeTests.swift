import JSON
import Testing

@Suite("Written JSON")
struct JSONNodeTests {
    /// A computed property, because the leak checker cannot follow the tagged pointers of a global.
    static var rows: [(JSONNode, String)] {
        [
            (.null, "null"), (.boolean(true), "true"), (.boolean(false), "false"),
            (.integer(.min), "-9223372036854775808"), (.integer(.max), "9223372036854775807"),
            (.real(1.5), "1.5"), (.real(2), "2.0"), (.real(.infinity), "null"), (.real(.nan), "null"),
            (.string(""), #""""#), (.string("é😀/"), "\"é😀/\""),
            (.string("a\"\\\n\0\u{1F}"), #""a\"\\\n\u0000\u001F""#),
            (.array([]), "[]"), (.object([]), "{}"),
            (
                .object([("z", .integer(1)), ("", .null), ("a\0", .array([.string("x"), .null]))]),
                #"{"z":1,"":null,"a\u0000":["x",null]}"#
            ),
            (.object([("a", .integer(1)), ("b", .integer(2)), ("a", .integer(3))]), #"{"a":3,"b":2}"#),
        ]
    }

    @Test("is compact, and keeps its order and visible characters outside ASCII", arguments: rows.indices)
    func compact(_ row: Int) {
        let (node, text) = Self.rows[row]
        #expect(String(decoding: node.serialized(), as: UTF8.self) == text)
    }

    @Test("is indented or sorted on request")
    func pretty() {
        let node = JSONNode.object([("b", .array([.integer(1), .integer(2)])), ("a", .object([]))])
        let indented = "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": {}\n}"
        #expect(String(decoding: node.serialized(pretty: true), as: UTF8.self) == indented)
        #expect(String(decoding: node.serialized(sortedKeys: true), as: UTF8.self) == #"{"a":{},"b":[1,2]}"#)
    }

    @Test("reads back as the same number", arguments: [0.1, -1.0 / 3, 1e300, .leastNonzeroMagnitude])
    func reals(_ value: Double) throws {
        let text = JSONNode.array([.real(value)]).serialized()
        #expect(try JSONDocument(parsing: text.span, limits: testLimits).root.element(at: 0)?.real == value)
    }

    @Test("is the same for a copy of a value that was read")
    func copies() throws {
        let text = #"{"b":[1,-2.5,"é\n",true,null],"a":{"c":{},"d":[]}}"#
        let document = try JSONDocument(parsing: text.utf8Span.span, limits: testLimits)
        #expect(String(decoding: JSONNode(document.root).serialized(), as: UTF8.self) == text)
    }
}
