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
        let check = try Tool.run(["check", path, "--json"])
        #expect(check.status == 0, "\(check.errors)")
        let root = try Tool.document(check).root
        let text = try folder.read("app.rules.json")
        #expect(root.member("sha256")?.string == SHA256.hash(text.span).hexadecimal)
        #expect(root.member("rules")?.int64 == 3 && root.member("bytes")?.int64 == Int64(text.count))
        #expect(root.member("metadata")?.member("revision")?.string == "2026-11-21.3")
        let again = folder.path(of: "again.rules.json")
        let run = try Tool.run(["compile", "-", "-o", again], input: text)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.read("again.rules.json") == text)
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
        let silent = ["--product", "p", "--transaction", "2000000000000001", "--json"]
        let root = try Tool.document(try Tool.run(["explain", Self.example] + silent)).root
        #expect(root.member("rule")?.string == "one_subscriber_who_asked_for_silence")
        #expect(root.member("message")?.kind == .null)
        #expect(root.member("answer")?.member("status")?.int64 == 503)
        let other = try Tool.run(["explain", Self.example, "--product", "p", "--environment", "Sandbox"])
        #expect(other.output.contains("decision: ERROR: nothing"))
    }

    @Test("compile against an inventory: refuse unapproved messages, or name them in the file if so asked")
    func inventory() throws {
        let source = SourceFile.root + "/examples/rules/annual-upsell.json"
        let path = folder.path(of: "upsell.rules.json")
        let arguments = [
            "compile", source, "-o", path, "--inventory", SourceFile.root + "/examples/inventory.json",
        ]
        let refused = try Tool.run(arguments)
        #expect(refused.status == 65)
        let finding = "\(source):21:18: error: rules.not-approved: the message is PENDING"
        #expect(refused.errors == finding + " (--allow-pending compiles it so that it is not served)\n")
        let allowed = try Tool.run(arguments + ["--allow-pending"])
        #expect(allowed.status == 0, "\(allowed.errors)")
        let text = try folder.read("upsell.rules.json")
        let rules = try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32))
            .root
        let ids = rules.member("messages")?.member("value_reminder")?.member("ids")
        let identifier = try #require(ids?.member("de-DE")?.string)
        #expect(rules.member("unapproved")?.members.map(\.name) == [identifier])
        #expect(rules.member("unapproved")?.members.first?.value.string == "PENDING")
        try folder.write("{ \"messageIdentifiers\": [ 1 ] }", to: "bad.json")
        let bad = try Tool.run(["compile", source, "-o", path, "--inventory", folder.path(of: "bad.json")])
        #expect(bad.status == 65)
        #expect(bad.errors.contains("bad.json:1:27: error: inventory.wrong-type"))
        let both = try Tool.run(
            ["compile", "-", "-o", path, "--inventory", folder.path(of: "bad.json")], input: Array("{}".utf8))
        #expect(both.status == 65)
        #expect(both.errors.contains("bad.json:1:27: error: inventory.wrong-type"))
        #expect(both.errors.contains("-:1:1: error: rules.missing-key"))
        let missing = try Tool.run([
            "compile", source, "-o", path, "--inventory", folder.path(of: "none.json"),
        ])
        #expect(missing.status == 66)
    }

    @Test("lint ends with 1 when there is a warning")
    func lint() throws {
        let at = ["--at", "2026-11-21T00:00:00Z"]
        let clean = try Tool.run(["lint", Self.example] + at)
        #expect(clean.status == 0)
        #expect(clean.output == "\(Self.example): nothing found\n")
        let late = ["--at", "2026-12-01T00:00:00Z"]
        let warned = try Tool.run(["lint", Self.example] + late)
        #expect(warned.status == 1)
        #expect(warned.errors.contains(":44:57: warning: lint.expired-window: "))
        let json = try Tool.run(["lint", Self.example, "--json"] + late)
        #expect(json.status == 1)
        let finding = try Tool.document(json).root.member("diagnostics")?.element(at: 0)
        #expect(finding?.member("code")?.string == "lint.expired-window")
        #expect(finding?.member("severity")?.string == "warning")
        #expect(finding?.member("line")?.int64 == 44)
        #expect(try Tool.run(["lint", Self.example, "--ignore", "expired-window"] + late).status == 0)
        let notes = String(decoding: try SourceFile.read(Self.example), as: UTF8.self)
            .replacing("\"killSwitch\": false", with: "\"killSwitch\": true")
        let noted = try Tool.run(["lint", "-"] + at, input: Array(notes.utf8))
        #expect(noted.status == 0)
        #expect(
            noted.errors == "-:7:17: note: lint.kill-switch: nothing is served "
                + "(set \"killSwitch\" to false to serve messages again)\n"
        )
        let bad = try Tool.run(["lint", "-"], input: Array("{".utf8))
        #expect(bad.status == 65)
    }

    @Test(
        "refuse wrong usage",
        arguments: [
            ["compile", "x.json", "-o", "x.json"], ["compile", "x.json"],
            ["compile", "x.json", "-o", "x.rules"],
            ["explain", "x.json"], ["compile", "x.json", "-o", "x.rules.json", "--allow-pending"], ["lint"],
            ["lint", "x.json", "--ignore", "nonsense"],
        ]
    )
    func usage(arguments: [String]) throws {
        #expect(try Tool.run(arguments).status == 64)
    }
}
