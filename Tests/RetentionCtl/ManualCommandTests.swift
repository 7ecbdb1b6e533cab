import JSON
import Support
import System
import Testing

@Suite("The manual's commands")
struct ManualCommandTests {
    @Test("are those of the tool, with every option and its help")
    func commands() throws {
        let run = try Tool.run(["--experimental-dump-help"])
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let root = try JSONDocument(parsing: Array(run.output.utf8).span, limits: limits).root
        let command = try #require(root.member("command"))
        var text = ""
        for child in command.member("subcommands")?.elements ?? [] { text += Self.section(child, above: "") }
        try ManualPage.check(text, in: "retentionctl.1.md", part: "commands")
    }

    /// The text for a command with its arguments and its subcommands. Empty for `help`.
    private static func section(_ command: JSONValue, above: String) -> String {
        let name = above + (command.member("commandName")?.string ?? "")
        guard name != "help", !name.hasSuffix(" help") else { return "" }
        let children = command.member("subcommands")?.elements ?? []
        let arguments = (command.member("arguments")?.elements ?? []).compactMap(entry)
        let abstract = escaped(command.member("abstract")?.string ?? "")
        let own = "## \(name)\n\n\(abstract)\n\n" + arguments.joined()
        return own + children.map { section($0, above: name + " ") }.joined()
    }

    /// An argument as an entry of a list of definitions; nil for hidden arguments, `--help` and `--version`.
    private static func entry(_ argument: JSONValue) -> String? {
        guard argument.member("shouldDisplay")?.boolean == true else { return nil }
        let names = (argument.member("names")?.elements ?? []).compactMap { name -> String? in
            guard let word = name.member("name")?.string else { return nil }
            return name.member("kind")?.string == "long" ? "**--\(word)**" : "**-\(word)**"
        }
        guard !names.contains("**--help**"), !names.contains("**--version**") else { return nil }
        let value = argument.member("valueName")?.string.map { "*\($0)*" } ?? ""
        let term =
            switch argument.member("kind")?.string {
            case "positional": value
            case "flag": names.joined(separator: ", ")
            default: names.joined(separator: ", ") + " " + value
            }
        let help = escaped(argument.member("abstract")?.string ?? "")
        let standard = argument.member("defaultValue")?.string.map { " The default is `\($0)`." } ?? ""
        return "\(term)\n:   \(help)\(standard)\n\n"
    }

    /// The words of `--help` as Markdown. The characters that Markdown would take for markup are escaped.
    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "*_<>[]{}'\"\\".contains($0) ? ["\\", $0] : [$0] })
    }
}
