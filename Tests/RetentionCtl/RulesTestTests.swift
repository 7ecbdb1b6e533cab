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

    @Test("pass from the source and from the compiled file, and name rules that no test reaches")
    func runs() throws {
        let path = try source(expecting: "monthly")
        let compiled = folder.path(of: "app.rules.json")
        #expect(try Tool.run(["compile", path, "-o", compiled]).status == 0)
        for file in [path, compiled] {
            let run = try Tool.run(["test", "--coverage", file])
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                run.output == """
                    ok     a monthly plan
                    1 tests, 0 failed
                    1 of 2 rules reached
                      no test reaches annual

                    """
            )
        }
        let run = try Tool.run(["test", "--json", "--coverage", path])
        let root = try Tool.document(run).root
        #expect(root.member("tests")?.element(at: 0)?.member("passes")?.boolean == true)
        #expect(root.member("unreached")?.element(at: 0)?.string == "annual")
    }

    @Test("end with 1 and print the difference when a test fails")
    func failing() throws {
        let run = try Tool.run(["test", try source(expecting: "annual")])
        #expect(run.status == 1)
        #expect(
            run.output == """
                FAILED a monthly plan
                       rule: expected annual, found monthly
                1 tests, 1 failed

                """
        )
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
        #expect(try Tool.run(["check", compiled]).status == 0)
        let run = try Tool.run(["test", compiled])
        #expect(run.status == 0)
        #expect(
            run.output == """
                waits  a monthly plan
                       rule: expected monthly, found none
                1 tests, 0 failed

                """
        )
    }

    @Test("do not prevent the use of the kill switch")
    func killSwitch() throws {
        let text = String(decoding: try SourceFile.read(try source(expecting: "monthly")), as: UTF8.self)
        let killed = text.replacing("{\"format\": 1,", with: "{\"format\": 1, \"killSwitch\": true,")
        #expect(killed != text)
        try folder.write(killed, to: "killed.json")
        let (path, compiled) = (folder.path(of: "killed.json"), folder.path(of: "killed.rules.json"))
        for arguments in [
            ["compile", path, "-o", compiled], ["test", path], ["test", compiled], ["check", compiled],
        ] {
            let run = try Tool.run(arguments)
            #expect(run.status == 0, "\(run.errors)")
        }
        let explained = try Tool.run(["explain", compiled, "--product", "pro_monthly"])
        #expect(explained.output.contains("KILL_SWITCH"))
    }

    @Test("are not run for a source that does not compile")
    func broken() throws {
        try folder.write("{", to: "broken.json")
        let run = try Tool.run(["test", folder.path(of: "broken.json")])
        #expect(run.status == 65)
        #expect(run.errors.contains("json.syntax"))
    }
}
