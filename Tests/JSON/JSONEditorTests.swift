import JSON
import Support
import Testing

@Suite("Additions to a JSON text")
struct JSONEditorTests {
    private static let limits = JSONLimits(byteCount: 1 << 20, depth: 64)

    private static func parsed(_ text: [UInt8]) throws -> JSONNode {
        JSONNode(try JSONDocument(parsing: text.span, limits: limits).root)
    }

    @Test(
        "stand behind the last member, indented as those before it",
        arguments: [
            ("{}", [], "{\n  \"n\": 1\n}"), ("{ }", [], "{\n  \"n\": 1\n }"),
            ("{\"a\":2}", [], "{\"a\":2,\n  \"n\": 1}"),
            ("{\n    \"a\": 2\n}\n", [], "{\n    \"a\": 2,\n    \"n\": 1\n}\n"),
            ("{\r\n\t\"a\": 2\r\n}", [], "{\r\n\t\"a\": 2,\r\n\t\"n\": 1\r\n}"),
            (
                "{\n  \"a\": { \"b\": \"}\" } ,\n  \"c\": []\n}", ["a"],
                "{\n  \"a\": { \"b\": \"}\",\n    \"n\": 1 } ,\n  \"c\": []\n}"
            ),
            ("{\"\\u0061\": {}}", ["a"], "{\"\\u0061\": {\n  \"n\": 1\n}}"),
        ] as [(String, [String], String)]
    )
    func members(text: String, path: [String], changed: String) {
        var editor = JSONEditor(Array(text.utf8))
        let isAdded = editor.add("n", .integer(1), at: path.map { .member($0) })
        #expect(isAdded)
        #expect(String(decoding: editor.text, as: UTF8.self) == changed)
    }

    @Test("stand behind the last element")
    func elements() {
        var editor = JSONEditor(Array("{\n  \"a\": [\"x\"],\n  \"b\": []\n}".utf8))
        let areAdded = [editor.add(.string("y"), at: [.member("a")]), editor.add(.null, at: [.member("b")])]
        #expect(areAdded == [true, true])
        let text = String(decoding: editor.text, as: UTF8.self)
        #expect(text == "{\n  \"a\": [\"x\",\n    \"y\"],\n  \"b\": [\n    null\n  ]\n}")
    }

    @Test("need an object or an array at their path")
    func places() {
        let text = Array("{ \"a\": [1, {}], \"b\": 2 }".utf8)
        var editor = JSONEditor(text)
        let a = JSONPathComponent.member("a")
        for path in [[.member("b")], [.member("c")], [a], [.index(0)], [a, .index(-1)], [a, .index(2)]] {
            let isAdded = editor.add("n", .null, at: path)
            #expect(!isAdded, "\(path.text)")
        }
        for path in [[], [.member("b")], [a, .index(0)], [a, .index(1)]] as [JSONPath] {
            let isAdded = editor.add(.null, at: path)
            #expect(!isAdded, "\(path.text)")
        }
        #expect(editor.text == text)
        editor.add("n", .null, at: [a, .index(1)])
        #expect(editor.text != text)
    }

    @Test("change no other byte, wherever they stand and however the text is laid out")
    func random() throws {
        var random = SeededGenerator(for: "additions to JSON texts")
        for round in 0..<400 {
            let node = Self.node(depth: 4, &random)
            let text = Self.laidOut(node, &random)
            var editor = JSONEditor(text)
            var expected = node
            for number in 0..<Int.random(in: 1...6, using: &random) {
                guard let path = Self.containers(of: node).randomElement(using: &random) else { break }
                let value = Self.node(depth: 2, &random)
                let name = "new \(number)\n"
                let (isMember, isElement) = (editor.add(name, value, at: path), editor.add(value, at: path))
                #expect(isMember != isElement, "round \(round)")
                expected = Self.adding(name, value, to: expected, path[...])
            }
            let changed = editor.text
            #expect(try Self.parsed(changed).serialized() == expected.serialized(), "round \(round)")
            // The old text is what is left when bytes are removed.
            var rest = changed[...]
            for byte in text {
                guard let place = rest.firstIndex(of: byte) else {
                    Issue.record("round \(round): a byte is missing")
                    break
                }
                rest = rest[(place + 1)...]
            }
        }
    }

    private static func node(depth: Int, _ random: inout SeededGenerator) -> JSONNode {
        let count = Int.random(in: 0...3, using: &random)
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
        case 0: return .integer(Int64.random(in: -9...9, using: &random))
        case 1: return .string(["", "a", "}\"]", "\\{[", "é\n,:"].randomElement(using: &random) ?? "")
        case 2: return .null
        case 3: return .boolean(true)
        case 4: return .array((0..<count).map { _ in node(depth: depth - 1, &random) })
        default: return .object((0..<count).map { ("k\($0)\"", node(depth: depth - 1, &random)) })
        }
    }

    /// The text of a node with random white space between its tokens.
    private static func laidOut(_ node: JSONNode, _ random: inout SeededGenerator) -> [UInt8] {
        func space() -> [UInt8] {
            Array((["", "", " ", "\n  ", "\n\t", " \r\n "].randomElement(using: &random) ?? "").utf8)
        }
        func list(_ parts: [[UInt8]], _ open: String, _ close: String) -> [UInt8] {
            var text = Array(open.utf8) + space()
            for (index, part) in parts.enumerated() {
                text += (index > 0 ? Array(",".utf8) + space() : []) + part + space()
            }
            return text + Array(close.utf8)
        }
        switch node {
        case .array(let elements): return list(elements.map { laidOut($0, &random) }, "[", "]")
        case .object(let members):
            let parts = members.map { name, value in
                JSONNode.string(name).serialized() + Array(":".utf8) + laidOut(value, &random)
            }
            return list(parts, "{", "}")
        default: return node.serialized()
        }
    }

    private static func containers(of node: JSONNode) -> [JSONPath] {
        switch node {
        case .array(let elements):
            [[]]
                + elements.enumerated().flatMap { index, element in
                    containers(of: element).map { [.index(index)] + $0 }
                }
        case .object(let members):
            [[]] + members.flatMap { name, value in containers(of: value).map { [.member(name)] + $0 } }
        default: []
        }
    }

    private static func adding(
        _ name: String, _ value: JSONNode, to node: JSONNode, _ path: ArraySlice<JSONPathComponent>
    ) -> JSONNode {
        switch (node, path.first) {
        case (.array(let elements), nil): return .array(elements + [value])
        case (.object(let members), nil): return .object(members + [(name, value)])
        case (.array(var elements), .index(let index)):
            elements[index] = adding(name, value, to: elements[index], path.dropFirst())
            return .array(elements)
        case (.object(var members), .member(let key)):
            for index in members.indices where members[index].0 == key {
                members[index].1 = adding(name, value, to: members[index].1, path.dropFirst())
            }
            return .object(members)
        default: return node
        }
    }
}
