import JSON
import Support
import Testing

@Suite("What retentionctl prints of files")
struct TerminalTests {
    private let folder: TemporaryDirectory
    /// A line feed, an escape sequence, C1's own, a line separator, and letters that turn the line around.
    private static let evil = "a\\nforged: line\\u001b[2J\\u009b31m\\u2028x\\u202ey\\u2066\\u007f"
    private static let shown =
        #"a\u{a}forged: line\u{1b}[2J\u{9b}31m\u{2028}x\u{202e}y\u{2066}\u{7f}"#

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// A run whose text has nothing that a terminal acts upon, and no line of its own from the file.
    private func check(_ run: ProgramRun, shows text: String, _ comment: Comment? = nil) {
        let all = run.output + run.errors
        #expect(all.contains(text), "\(all)")
        let active = all.unicodeScalars.filter {
            $0 != "\n"
                && ($0.value < 0x20 || 0x7F...0x9F ~= $0.value || 0x2028...0x202E ~= $0.value
                    || 0x2066...0x2069 ~= $0.value)
        }
        #expect(active.isEmpty)
        #expect(!all.split(separator: "\n").contains { $0.hasPrefix("forged") })
    }

    @Test("is one line each and no command to a terminal, of rules")
    func rules() throws {
        let path = folder.path(of: "app.rules")
        let members = [
            "metadata": #"{"owner": "\#(Self.evil)"}"#,
            "rules":
                #"[{"id": "r", "when": {"fact": "storefront", "eq": "\#(Self.evil)"}, "serve": "none"}]"#,
        ]
        try folder.write(SmallRules.source(members), to: "rules.json")
        let made = try Tool.run(["compile", folder.path(of: "rules.json"), "-o", path])
        try #require(made.status == 0, "\(made.errors)")
        check(made, shows: "  owner       \(Self.shown)\n")
        check(try Tool.run(["check", path]), shows: Self.shown)
        let json = try Tool.document(try Tool.run(["check", path, "--json"])).root
        let owner = "a\nforged: line\u{1b}[2J\u{9b}31m\u{2028}x\u{202e}y\u{2066}\u{7f}"
        #expect(json.member("metadata")?.member("owner")?.string == owner)
        let arguments = ["explain", path, "--product", owner, "--fact", "storefront=\(owner)"]
        check(try Tool.run(arguments), shows: #"storefront eq "\#(Self.shown)": true"#)
    }

    @Test("is so of findings and of tests too")
    func findings() throws {
        let unknown = SmallRules.source(["x\(Self.evil)": "1"])
        check(
            try Tool.run(["compile", "-", "-o", folder.path(of: "a.rules")], input: Array(unknown.utf8)),
            shows: "error: rules.unknown-key: unknown key \"x\(Self.shown)\""
        )
        let given = #"{"productId": "p", "userLocale": "en-US", "originalTransactionId": "1", "now": 0}"#
            .replacing("0}", with: #""2026-11-21T00:00:00Z"}"#)
        let test = #"[{"name": "\#(Self.evil)", "given": \#(given), "expect": {"default": true}}]"#
        let run = try Tool.run(["test", "-"], input: Array(SmallRules.source(["tests": test]).utf8))
        #expect(run.status == 0, "\(run.errors)")
        check(run, shows: "ok     \(Self.shown)\n")
    }

    @Test("is so of facts")
    func facts() throws {
        try folder.write(SmallRules.source([:]), to: "rules.json")
        let header = "originalTransactionId,inTrial,paidPeriods,storefront,plan\n"
        try folder.write(header + "1,,,\"a\nforged: \u{1b}[2J\",\n", to: "table.csv")
        let path = folder.path(of: "app.facts")
        let made = try Tool.run([
            "facts", "compile", folder.path(of: "table.csv"), "--schema", folder.path(of: "rules.json"), "-o",
            path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        check(try Tool.run(["facts", "stats", path]), shows: #"a\u{a}forged: \u{1b}[2J 1"#)
        check(
            try Tool.run(["facts", "get", path, "1"]),
            shows: #"  storefront: "a\u{a}forged: \u{1b}[2J""# + "\n"
        )
    }

    @Test("and cannot be written is said on standard error")
    func fullDevice() throws {
        let tool = try ProgramRun.product("retentionctl")
        let run = try ProgramRun.run("sh", ["-c", #"exec "$0" bucket a 1 > /dev/full"#, tool])
        #expect(run.status == 74)
        #expect(run.errors == "standard output: error: system.enospc: write: No space left on device\n")
    }
}
