import JSON
import Support
import Testing

@Suite("Locales that wait for Apple's approval")
struct PendingLocaleTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// A message in three locales.
    private static func source(_ members: String) -> String {
        SmallRules.source([
            "messages": #"""
            { "hello": { "kind": "text", \#(members) "ids": {
                "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390",
                "de-DE": "551ee7c0-c097-418e-9dd5-2a98533a7391",
                "fr-FR": "551ee7c0-c097-418e-9dd5-2a98533a7392" } } }
            """#,
            "locales": #"{ "fallback": { "de-DE": "fr-FR" }, "last": "en-US" }"#,
            "rules": #"[ { "id": "r", "serve": { "message": "hello" } } ]"#,
            "default": #"{ "serve": "none" }"#,
        ])
    }

    /// The state of a catalogue, in which the messages of these locales wait.
    private static func state(pending: [String]) -> String {
        let states = ["en-US", "de-DE", "fr-FR"].enumerated().map { index, locale in
            ("551ee7c0-c097-418e-9dd5-2a98533a739\(index)", pending.contains(locale) ? "PENDING" : "APPROVED")
        }
        return PublishWorld.state(Dictionary(uniqueKeysWithValues: states))
    }

    @Test(
        "are named by compile and check, with what their subscribers get",
        arguments: [
            ("", ["de-DE"], "its subscribers there get fr-FR"),
            (#""whenUnapproved": "fallback","#, ["de-DE"], "its subscribers there get fr-FR"),
            ("", ["de-DE", "fr-FR"], "its subscribers there get en-US"),
            ("", ["de-DE", "fr-FR", "en-US"], "its rules fail there, as no other locale of it stands in"),
            (#""whenUnapproved": "pass","#, ["de-DE"], #"its rules fail there, as "whenUnapproved" says"#),
        ]
    )
    func named(members: String, pending: [String], consequence: String) throws {
        let source = folder.path(of: "rules.json")
        let path = folder.path(of: "app.rules.json")
        try folder.write(Self.source(members), to: "rules.json")
        try folder.write(Self.state(pending: pending), to: "com.example.app-Production.state.json")
        let text = #"lint.pending-locale: "hello" is not approved in de-DE: until then \#(consequence)"#
        let compiled = try Tool.run(["compile", source, "-o", path, "--state", folder.path])
        #expect(compiled.status == 0 && compiled.errors.contains("warning: \(text)\n"), "\(compiled.errors)")
        #expect(compiled.errors.contains("\(source):"))
        let json = try Tool.run(["check", path, "--json"])
        let locales = try Tool.document(json).root.member("files")?.element(at: 0)?.member("pendingLocales")
        let german = locales?.elements.first { $0.member("locale")?.string == "de-DE" }
        #expect(german?.member("message")?.string == "hello")
        let standIn = consequence.contains("get ") ? String(consequence.suffix(5)) : nil
        #expect(german?.member("standIn")?.string == standIn)
        let isWhole = pending.contains("en-US")
        let checked = try Tool.run(["check", path])
        #expect(checked.status == 1 && checked.errors.contains("\(path):"))
        #expect(checked.errors.contains("warning: \(text)\n") != isWhole, "\(checked.errors)")
        #expect(checked.errors.contains("lint.masked-message") == isWhole)
        let pushed = String(decoding: try folder.read("app.rules.json"), as: UTF8.self)
        #expect(pushed.contains(#""whenUnapproved": "pass""#) == members.contains("pass"))
    }

    @Test("are those of the server that --base-url names")
    func otherServer() throws {
        try folder.write(Self.source(""), to: "rules.json")
        try folder.write(
            Self.state(pending: ["de-DE"]),
            to: "com.example.app-Production-http---127-0-0-1-8444.state.json")
        let words = [
            "compile", folder.path(of: "rules.json"), "-o", folder.path(of: "app.rules.json"), "--state",
            folder.path,
        ]
        let run = try Tool.run(words + ["--base-url", "http://127.0.0.1:8444"])
        #expect(run.status == 0 && run.errors.contains("lint.pending-locale"), "\(run)")
        #expect(try !Tool.run(words).errors.contains("lint.pending-locale"))
    }

    @Test("are an empty list when no locale waits")
    func noPendingLocales() throws {
        let path = folder.path(of: "app.rules.json")
        let run = try Tool.run(["compile", "-", "-o", path, "--json"], input: Array(Self.source("").utf8))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(try Tool.document(run).root.member("pendingLocales")?.count == 0)
    }
}
