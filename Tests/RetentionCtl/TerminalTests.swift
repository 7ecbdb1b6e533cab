import JSON
import Support
import System
import Testing

@Suite("Text from files that retentionctl prints")
struct TerminalTests {
    private let folder: TemporaryDirectory
    /// A line feed, an escape sequence, an escape sequence with a C1 character, a line separator, and characters that
    /// change the direction of the line.
    private static let evil =
        "a\\nforged: line\\u001b[2J\\u009b31m\\u2028x\\u202ey\\u2066\\u007f\\u061c"
        + "\\u200e\\u200f\\u202a\\u2069\\ufeff"
    private static let shown =
        #"a\u{a}forged: line\u{1b}[2J\u{9b}31m\u{2028}x\u{202e}y\u{2066}\u{7f}\u{61c}"#
        + #"\u{200e}\u{200f}\u{202a}\u{2069}\u{feff}"#
    /// The text in JSON.
    private static let escaped =
        #"a\nforged: line\u001B[2J\u009B31m\u2028x\u202Ey\u2066\u007F\u061C\u200E\u200F\u202A\u2069\uFEFF"#
    /// The text itself.
    private static let meant =
        "a\nforged: line\u{1b}[2J\u{9b}31m\u{2028}x\u{202e}y\u{2066}\u{7f}\u{61c}\u{200e}\u{200f}\u{202a}\u{2069}\u{feff}"

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Expects that a run prints `text`, no character that a terminal acts upon, and no line that the file has forged.
    private func check(_ run: ProgramRun, shows text: String, _ comment: Comment? = nil) {
        let all = run.output + run.errors
        #expect(all.contains(text), "\(all)")
        #expect(
            all.unicodeScalars.allSatisfy { $0 == "\n" || !DisplayText.isActive($0) },
            "\(all.debugDescription)"
        )
        #expect(!all.split(separator: "\n").contains { $0.hasPrefix("forged") })
    }

    @Test("is one line and has no terminal commands when it comes from rules")
    func rules() throws {
        let path = folder.path(of: "app.rules.json")
        let members = [
            "metadata": #"{"owner": "\#(Self.evil)"}"#,
            "rules":
                #"[{"id": "r", "when": {"fact": "storefront", "eq": "\#(Self.evil)"}, "serve": "none"}]"#,
        ]
        try folder.write(SmallRules.source(members), to: "rules.json")
        let made = try Tool.run(["compile", folder.path(of: "rules.json"), "-o", path])
        try #require(made.status == 0, "\(made.errors)")
        check(made, shows: "    owner  \(Self.shown)\n")
        check(try Tool.run(["check", path]), shows: Self.shown)
        let owner = Self.meant
        let json = try Tool.run(["check", path, "--json"])
        check(json, shows: Self.escaped)
        #expect(
            try Tool.document(json).root.member("files")?.element(at: 0)?.member("metadata")?.member("owner")?
                .string == owner)
        let arguments = ["explain", path, "--product", owner, "--fact", "storefront=\(owner)"]
        check(try Tool.run(arguments), shows: #"storefront eq "\#(Self.shown)": true"#)
        check(try Tool.run(arguments + ["--json"]), shows: Self.escaped)
    }

    @Test("is one line and has no terminal commands when it comes from findings and tests")
    func findings() throws {
        let unknown = SmallRules.source(["x\(Self.evil)": "1"])
        check(
            try Tool.run(
                ["compile", "-", "-o", folder.path(of: "a.rules.json")], input: Array(unknown.utf8)),
            shows: "error: rules.unknown-key: unknown key \"x\(Self.shown)\"")
        let given = #"{"productId": "p", "userLocale": "en-US", "originalTransactionId": "1", "now": 0}"#
            .replacing("0}", with: #""2026-11-21T00:00:00Z"}"#)
        let test = #"[{"name": "\#(Self.evil)", "given": \#(given), "expect": {"rule": "x"}}]"#
            .replacing("\"rule\": \"x\"", with: "\"reason\": \"KILL_SWITCH\"")
        let source = SmallRules.source(["tests": test, "metadata": #"{"\#(Self.evil)": ""}"#])
        for format in ["text", "json", "github", "sarif", "junit"] {
            let run = try Tool.run(["check", "-", "--format", format], input: Array(source.utf8))
            #expect(run.status == 65, "\(run)")
            check(
                run,
                shows: ["json", "sarif"].contains(format)
                    ? Self.escaped
                    : format == "github" ? Self.shown.replacing(#"\u{a}"#, with: "%0A") : Self.shown)
        }
        let found = try Tool.run(
            ["compile", "-", "-o", folder.path(of: "a.rules.json"), "--json"], input: Array(unknown.utf8))
        check(found, shows: Self.escaped)
    }

    @Test("is one line and has no terminal commands when it comes from facts")
    func facts() throws {
        try folder.write(SmallRules.source([:]), to: "rules.json")
        let header = "originalTransactionId,inTrial,paidPeriods,storefront,plan\n"
        try folder.write(header + "1,,,\"a\nforged: \u{1b}[2J\u{202E}\u{9B}\",\n", to: "table.csv")
        let path = folder.path(of: "app.facts")
        let made = try Tool.run([
            "facts", "build", folder.path(of: "table.csv"), "--schema", folder.path(of: "rules.json"), "-o",
            path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        check(try Tool.run(["check", path]), shows: #"a\u{a}forged: \u{1b}[2J\u{202e}\u{9b} 1"#)
        check(
            try Tool.run(["facts", "get", path, "1"]),
            shows: #"  storefront: "a\u{a}forged: \u{1b}[2J\u{202e}\u{9b}""# + "\n"
        )
        for command in [
            ["facts", "get", path, "1", "--json"], ["check", path, "--json"],
        ] {
            check(try Tool.run(command), shows: #"a\nforged: \u001B[2J\u202E\u009B"#)
        }
    }

    @Test("that cannot be written is an error on standard error")
    func fullDevice() throws {
        let tool = try ProgramRun.product("retentionctl")
        let rules = "\(SourceFile.root)/examples/rules/advanced-commerce.json"
        let run = try ProgramRun.run("sh", ["-c", #"exec "$0" check "$1" > /dev/full"#, tool, rules])
        #expect(run.status == 65)
        #expect(run.errors == "standard output: error: system.enospc: write: No space left on device\n")
    }
}
