import Cryptography
import JSON
import Support
import Testing

@Suite("retentionctl's rules commands")
struct RulesCommandTests {
    private let folder: TemporaryDirectory
    private static let example = SourceFile.root + "/examples/rules/seasons.json"

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Compiles the example and returns the path of the compiled file.
    private func compiled(_ options: [String] = []) throws -> String {
        let path = folder.path(of: "app.rules.json")
        let run = try Tool.run(["compile", Self.example, "-o", path] + options)
        try #require(run.status == 0, "\(run.errors)")
        return path
    }

    @Test("compile rules into rules that stand alone: checked, pushed and compiled again they are the same")
    func roundTrip() throws {
        let path = try compiled()
        let check = try Tool.run(["check", path, "--json", "--at", "2026-11-21T00:00:00Z"])
        #expect(check.status == 0, "\(check)")
        let root = try #require(try Tool.document(check).root.member("files")?.element(at: 0))
        let text = try folder.read("app.rules.json")
        #expect(root.member("sha256")?.string == SHA256.hash(text.span).hexadecimal)
        #expect(root.member("rules")?.int64 == 3 && root.member("bytes")?.int64 == Int64(text.count))
        #expect(root.member("metadata")?.member("revision")?.string == "2026-11-21.3")
        let again = folder.path(of: "again.rules.json")
        let run = try Tool.run(["compile", "-", "-o", again], input: text)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.read("again.rules.json") == text)
    }

    @Test("take environment and products from an option and a catalogue when the rules have none")
    func environmentAndProducts() throws {
        let catalogue = SourceFile.root + "/examples/catalogue"
        let whole = String(decoding: try SourceFile.read(catalogue + "/rules.json"), as: UTF8.self)
        let products =
            #"  "products": { "pro_monthly": { "group": "pro" }, "pro_annual": { "group": "pro" } },"# + "\n"
        let environment = "  \"environment\": \"Sandbox\",\n"
        try folder.write(whole, to: "whole.json")
        try folder.write(
            whole.replacing(products, with: "").replacing(environment, with: ""), to: "short.json")
        func run(_ name: String, _ environment: String, _ words: [String]) throws -> ProgramRun {
            try Tool.run(
                words + [folder.path(of: name), "--catalogue", catalogue + "/catalogue.json"]
                    + (environment.isEmpty ? [] : ["--environment", environment]))
        }
        let paths = ["one.rules.json", "two.rules.json"].map(folder.path)
        #expect(try run("whole.json", "", ["compile", "-o", paths[0]]).status == 0)
        #expect(try run("short.json", "Sandbox", ["compile", "-o", paths[1]]).status == 0)
        #expect(try folder.read("one.rules.json") == folder.read("two.rules.json"))
        #expect(try run("short.json", "Sandbox", ["check"]).status == 0)
        let missing = try run("short.json", "", ["compile", "-o", paths[1]])
        #expect(missing.status == 65 && missing.errors.contains(#""environment" is missing"#))
        let other = try run("whole.json", "Production", ["compile", "-o", paths[1]])
        #expect(other.status == 65 && other.errors.contains("these rules are for Sandbox"))
        let request = ["explain", "--product", "pro_monthly", "--locale", "de-DE"]
        let explained = try run("short.json", "Sandbox", request)
        #expect(explained.status == 0 && explained.output.contains("annual_upsell"), "\(explained)")
    }

    @Test("name every error with its place, and keep the old file")
    func errors() throws {
        let path = try compiled()
        let before = try folder.read("app.rules.json")
        try folder.write(
            "{\n  \"format\": 1,\n  \"enviroment\": \"Production\",\n  \"caps\": {}\n}\n", to: "bad.json")
        let source = folder.path(of: "bad.json")
        let run = try Tool.run(["compile", source, "-o", path])
        #expect(run.status == 65)
        #expect(
            run.errors == """
                \(source):1:1: error: rules.missing-key: "app" is missing
                \(source):1:1: error: rules.missing-key: "environment" is missing
                \(source):1:1: error: rules.empty: neither a rule nor a default
                \(source):3:3: error: rules.unknown-key: unknown key "enviroment" (did you mean "environment"?)
                \(source):4:11: error: rules.missing-key: "offer" is missing

                """
        )
        #expect(try folder.read("app.rules.json") == before)
        let json = try Tool.run(["compile", source, "-o", path, "--json"])
        #expect(try Tool.document(json).root.member("diagnostics")?.count == 5)
    }

    @Test("explain a request with the answer's exact bytes, from the source and from the file alike")
    func explanation() throws {
        let request = ["--product", "pro_monthly", "--locale", "de-AT", "--at", "2026-11-21T00:00:00Z"]
        let fromSource = try Tool.run(["explain", Self.example] + request)
        let fromFile = try Tool.run(["explain", try compiled()] + request)
        #expect(fromSource.status == 0)
        #expect(fromSource.output == fromFile.output)
        #expect(
            fromFile.output.hasSuffix(
                #"""
                  locale: de-AT: no message
                  locale: de-DE (fallback): found
                decision: TARGETING_MATCH: message new_in_november de-DE 80135e2b-ae15-4ec4-8c5c-9ecc8045c0dd
                answer: 200 {"message":{"messageIdentifier":"80135e2b-ae15-4ec4-8c5c-9ecc8045c0dd"}}

                """#
            )
        )
        let silent = ["--product", "p", "--subscriber", "2000000000000001", "--json"]
        let root = try Tool.document(try Tool.run(["explain", Self.example] + silent)).root
        #expect(root.member("rule")?.string == "one_subscriber_who_asked_for_silence")
        #expect(root.member("message")?.kind == .null)
        #expect(root.member("answer")?.member("status")?.int64 == 503)
        let other = try Tool.run(["explain", Self.example, "--product", "p", "--environment", "Sandbox"])
        #expect(other.output.contains("decision: ERROR: nothing"))
    }

    @Test(
        "refuse wrong usage",
        arguments: [
            ["compile", "x.json", "-o", "x.json"], ["compile", "x.json"],
            ["compile", "x.json", "-o", "x.rules"],
            ["explain", "x.json"], ["check"],
            ["check", "x.json", "--ignore", "nonsense"],
            ["check", "x.json", "--ignore", "catalogue.bad-value"],
            ["check", "x.json", "--format", "xml"], ["check", "-", "-"],
        ]
    )
    func usage(arguments: [String]) throws {
        #expect(try Tool.run(arguments).status == 64)
    }
}
