import JSON
import Support
import System
import Testing

@Suite("The tests in a rules source")
struct RulesTestTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func source(expecting rule: String, unapproved: String = "") throws -> String {
        let text = #"""
            {"format": 1, "app": {"appAppleId": 7, "bundleId": "com.example.app"}, "environment": "Sandbox",
             "messages": {"hello": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}}},\#(unapproved)
             "rules": [{"id": "monthly", "when": {"fact": "productId", "eq": "pro_monthly"},
                        "serve": {"message": "hello"}},
                       {"id": "annual", "when": {"fact": "productId", "eq": "pro_annual"}, "serve": "none"}],
             "tests": [{"name": "a monthly plan",
                        "given": {"productId": "pro_monthly", "userLocale": "en-US",
                                  "originalTransactionId": "2000000001", "now": "2026-11-21T00:00:00Z"},
                        "expect": {"rule": "\#(rule)"}}]}
            """#
        try folder.write(text, to: "rules.json")
        return folder.path(of: "rules.json")
    }

    /// Checks a file, and returns the run and its tests that pass, wait and fail.
    private func check(_ path: String) throws -> (run: ProgramRun, counts: [Int64?]) {
        let run = try Tool.run([
            "check", path, "--json", "--ignore", "untested-rule", "--ignore", "unreachable-default",
        ])
        let tests = try Tool.document(run).root.member("files")?.element(at: 0)?.member("tests")
        return (run, ["pass", "wait", "fail"].map { tests?.member(named: $0)?.int64 })
    }

    @Test("pass from the source and from the compiled file")
    func runs() throws {
        let path = try source(expecting: "monthly")
        let compiled = folder.path(of: "app.rules.json")
        #expect(try Tool.run(["compile", path, "-o", compiled]).status == 0)
        for file in [path, compiled] {
            let (run, counts) = try check(file)
            #expect(run.status == 0 && counts == [1, 0, 0], "\(run)")
        }
    }

    @Test("are an error with the difference and the command that explains it when they fail")
    func failing() throws {
        let path = try source(expecting: "annual")
        let run = try Tool.run(["check", path])
        #expect(run.status == 65)
        #expect(
            run.errors.contains(
                "\(path):9:23: error: embedded-test-failed: the test \"a monthly plan\" fails: rule: expected annual, found monthly"
            ), "\(run)")
        #expect(try check(path).counts == [0, 0, 1])
        let compiling = try Tool.run(["compile", path, "-o", folder.path(of: "app.rules.json")])
        #expect(compiling.status == 65 && compiling.errors.contains("embedded-test-failed"))
        let command = try #require(run.errors.firstMatch(of: /\(see: retentionctl (.+)\)\n/)?.output.1)
        let words = command.split(separator: " ").map { String($0).replacing("'", with: "") }
        let explained = try Tool.run(words)
        #expect(
            explained.output.contains("rule: annual") || explained.output.contains("rule: monthly"),
            "\(explained)")
    }

    @Test("name the catalogue in the command that explains a failed test")
    func failingWithCatalogue() throws {
        let example = SourceFile.root + "/examples/catalogue/"
        let rules = String(decoding: try SourceFile.read(example + "rules.json"), as: UTF8.self)
        try folder.write(
            rules.replacing(#""message": "go_annual" }"#, with: #""message": "value_reminder" }"#),
            to: "rules.json")
        let path = folder.path(of: "rules.json")
        let run = try Tool.run(["check", path, "--catalogue", example + "catalogue.json"])
        let command = try #require(run.errors.firstMatch(of: /\(see: retentionctl (.+)\)\n/)?.output.1)
        let explained = try Tool.run(
            command.split(separator: " ").map { String($0).replacing("'", with: "") })
        #expect(explained.status == 0 && explained.output.contains("go_annual"), "\(explained)")
    }

    @Test("wait when a message is not approved yet: the file is compiled, with a warning")
    func waiting() throws {
        let path = try source(
            expecting: "monthly",
            unapproved: #""unapproved": {"551ee7c0-c097-418e-9dd5-2a98533a7390": "PENDING"},"#)
        let compiled = folder.path(of: "app.rules.json")
        let compiling = try Tool.run(["compile", path, "-o", compiled])
        #expect(compiling.status == 0)
        #expect(compiling.errors.contains("rules.json:9:23: "), "\(compiling.errors)")
        #expect(compiling.errors.contains(" warning: lint.test-awaits-approval: the test \"a monthly plan\""))
        let (run, counts) = try check(compiled)
        #expect(run.status == 1 && counts == [0, 1, 0], "\(run)")
        #expect(run.output.contains("lint.test-awaits-approval"))
    }

    @Test("do not prevent the use of the kill switch")
    func killSwitch() throws {
        let text = String(decoding: try SourceFile.read(try source(expecting: "monthly")), as: UTF8.self)
        let killed = text.replacing("{\"format\": 1,", with: "{\"format\": 1, \"killSwitch\": true,")
        #expect(killed != text)
        try folder.write(killed, to: "killed.json")
        let (path, compiled) = (folder.path(of: "killed.json"), folder.path(of: "killed.rules.json"))
        let compiling = try Tool.run(["compile", path, "-o", compiled])
        #expect(compiling.status == 0, "\(compiling.errors)")
        for path in [path, compiled] {
            let (run, counts) = try check(path)
            #expect(run.status == 0 && counts == [1, 0, 0], "\(run)")
        }
        let explained = try Tool.run(["explain", compiled, "--product", "pro_monthly"])
        #expect(explained.output.contains("KILL_SWITCH"))
    }

    @Test("are not run for a source that does not compile")
    func broken() throws {
        try folder.write("{", to: "broken.json")
        let run = try Tool.run(["check", folder.path(of: "broken.json")])
        #expect(run.status == 65)
        #expect(run.errors.contains("json.syntax"))
    }
}
