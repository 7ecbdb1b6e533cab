import Authoring
import Cryptography
import Facts
import System
import Testing

@Suite("What a host says that it serves")
struct ServedPoolTests {
    private static let file = #"""
        {"name":"app.rules.json","kind":"rules","appAppleId":7,"environment":"Production","revision":"r9",
         "digest":"\#(TestPool.digest("a"))","byteCount":4,"content":"AAEC","new":[1]}
        """#

    private static func text(
        directory: String = #""/srv/data""#, sequence: String = "3", result: String = #""loaded""#,
        files: String? = nil
    ) -> String {
        #"{"dataDirectory":\#(directory),"sequence":\#(sequence),"result":\#(result),"code":null,"message":null,"#
            + #""files":\#(files ?? "[\(file)]"),"new":{}}"#
    }

    @Test("is read, and members that only a newer host knows are passed over")
    func good() throws {
        let pool = try ServedPool(reading: Array(Self.text().utf8))
        #expect(pool.dataDirectory == "/srv/data" && pool.sequence == 3 && pool.refusal == nil)
        let file = try #require(pool.file(.rules, appAppleId: 7, environment: .production))
        #expect(file.name == "app.rules.json" && file.revision == "r9" && file.content == [0, 1, 2])
        #expect(pool.file(.rules, appAppleId: 7, environment: .sandbox) == nil)
        #expect(pool.file(.facts, appAppleId: 7, environment: .production) == nil)
        #expect(pool.file(.rules, appAppleId: 8, environment: .production) == nil)
    }

    @Test("has the reason of a refusal, and bytes only where the host printed them")
    func refused() throws {
        let text = Self.text(
            result: #""refused""#, files: "[\(Self.file.replacing(#""AAEC""#, with: "null"))]"
        ).replacing(#""code":null,"message":null"#, with: #""code":"rules.empty","message":"words""#)
        let pool = try ServedPool(reading: Array(text.utf8))
        #expect(pool.refusal?.code == "rules.empty" && pool.refusal?.message == "words")
        #expect(pool.files.first?.content == nil)
    }

    private static let wrongAnswers: [(String, String)] = [
        ("", "json."), ("[]", "dataDirectory"), ("{}", "dataDirectory"), ("{\"a\":1,\"a\":2}", "json."),
        ("Last login: today\n" + text(), "json."), (text() + text(), "json."),
        (text(directory: "7"), "dataDirectory"), (text(directory: #""srv""#), "dataDirectory"),
        (text(directory: #""-e""#), "dataDirectory"), (text(directory: #""/srv\nx""#), "dataDirectory"),
        (text(directory: "\"/\(String(repeating: "a", count: 4096))\""), "dataDirectory"),
        (text(sequence: "0"), "sequence"), (text(sequence: #""3""#), "sequence"),
        (text(result: "null"), "result"), (text(result: #""maybe""#), "result"),
        (text(files: "{}"), "files"), (text(files: "null"), "files"), (text(files: "[1]"), "files[0]"),
        (text(files: "[\(Array(repeating: file, count: 257).joined(separator: ","))]"), "files"),
    ]

    @Test("is refused in any other form", arguments: wrongAnswers)
    func bad(text: String, reason: String) {
        let error = #expect(throws: ToolError.self) { try ServedPool(reading: Array(text.utf8)) }
        #expect(error?.code == "publish.unreachable")
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test(
        "is refused when an entry is not that of a data file",
        arguments: [
            (#""app.rules.json""#, #""../app.rules.json""#), (#""app.rules.json""#, #""-e.txt""#),
            (#""app.rules.json""#, #"".app.rules.json""#),
            (#""kind":"rules""#, #""kind":"facts""#), (#""appAppleId":7"#, #""appAppleId":0"#),
            ("Production", "production"), (TestPool.digest("a"), "abc"),
            (#""AAEC""#, #""AAEC=""#),
            (#""AAEC""#, #""A A""#),
        ]
    )
    func badFile(old: String, new: String) {
        let text = Self.text(files: "[\(Self.file.replacing(old, with: new))]")
        let error = #expect(throws: ToolError.self) { try ServedPool(reading: Array(text.utf8)) }
        #expect(error?.description.contains("files[0]") == true)
    }
}
