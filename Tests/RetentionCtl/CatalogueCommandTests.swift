import JSON
import Support
import System
import Testing

@Suite("retentionctl catalogue")
struct CatalogueCommandTests {
    private let folder: TemporaryDirectory
    private static let example = SourceFile.root + "/examples/catalogue"

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func compile(_ options: [String]) throws -> ProgramRun {
        let output = folder.path(of: "app.rules.json")
        return try Tool.run(["compile", Self.example + "/rules.json", "-o", output] + options)
    }

    /// The rules that were compiled last.
    private func compiled() throws -> JSONDocument {
        let text = try folder.read("app.rules.json")
        return try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32))
    }

    @Test("feeds rules, which name its messages only")
    func compile() throws {
        let catalogue = ["--catalogue", Self.example + "/catalogue.json"]
        #expect(try compile([]).errors.contains("rules.unknown-name"))
        let run = try compile(catalogue)
        #expect(run.status == 0, "\(run.errors)")
        let messages = try compiled().root.member("messages")
        #expect(messages?.members.map(\.name).sorted() == ["go_annual", "value_reminder"])
        #expect(messages?.member("go_annual")?.member("kind")?.string == "switch")
        let explain = ["explain", "--product", "pro_monthly"]
        for command in [["check"], explain] {
            let run = try Tool.run(command + [Self.example + "/rules.json"] + catalogue)
            #expect(run.status == 0, "\(run.errors)")
        }
        try folder.write(
            "{ \"productId\": \"pro_monthly\", \"userLocale\": \"en-US\", \"originalTransactionId\": \"1\" }\n",
            to: "sample")
        let sample = ["--sample", folder.path(of: "sample")]
        let diff = try Tool.run(
            ["diff", folder.path(of: "app.rules.json"), Self.example + "/rules.json", "--exit-code"] + sample
                + catalogue
        )
        #expect(diff.status == 0, "\(diff.errors)")
    }

    @Test("feeds rules together with the states beside it, or in another directory")
    func states() throws {
        let catalogue = ["--catalogue", Self.example + "/catalogue.json"]
        let unknown = try compile(catalogue)
        #expect(
            unknown.errors.hasSuffix(
                "/.retention/com.example.app-Sandbox.state.json does not exist: Apple's states of messages and images are not known\n"
            ), "\(unknown.errors)")
        #expect(try compiled().root.member("unapproved") == nil)
        let message = try compiled().root.member("messages")?.member("go_annual")
        let german = try #require(message?.member("ids")?.member("de-DE")?.string)
        try folder.write(
            PublishWorld.state([german: "REJECTED"]), to: "com.example.app-Sandbox.state.json")
        let run = try compile(catalogue + ["--state", folder.path])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("warning: lint.pending-locale: \"go_annual\" is not"), "\(run.errors)")
        let unapproved = try compiled().root.member("unapproved")
        #expect(unapproved?.members.map(\.name) == [german])
        #expect(unapproved?.member(named: german)?.string == "REJECTED")
        try folder.write("{}", to: "com.example.app-Sandbox.state.json")
        let damaged = try compile(catalogue + ["--state", folder.path])
        #expect(damaged.status == 65 && damaged.errors.contains("catalogue.state"), "\(damaged)")
    }
}
