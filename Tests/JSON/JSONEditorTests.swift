import JSON
import Testing

@Suite("Additions to a JSON text")
struct JSONEditorTests {
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

    @Test("need an object at their path")
    func places() {
        let text = Array("{ \"a\": [1, {}], \"b\": 2 }".utf8)
        var editor = JSONEditor(text)
        let a = JSONPathComponent.member("a")
        for path in [[.member("b")], [.member("c")], [a], [.index(0)], [a, .index(-1)], [a, .index(2)]] {
            let isAdded = editor.add("n", .null, at: path)
            #expect(!isAdded, "\(path.text)")
        }
        #expect(editor.text == text)
        editor.add("n", .null, at: [a, .index(1)])
        #expect(editor.text != text)
    }
}
