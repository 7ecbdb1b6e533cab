import JSON
import Support
import System
import Testing

@Suite("The manual's commands")
struct ManualCommandTests {
    private static let page = "retentionctl.1.md"

    /// The tool with all its commands, as it describes itself.
    private static func tool() throws -> JSONValue {
        let run = try Tool.run(["--experimental-dump-help"])
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let root = try JSONDocument(parsing: Array(run.output.utf8).span, limits: limits).root
        return try #require(root.member("command"))
    }

    @Test("are those of the tool, with every discussion, every option and its help")
    func commands() throws {
        let commands = try Self.tool().member("subcommands")?.elements ?? []
        let text = commands.map { Self.section($0, above: "") }.joined()
        try ManualPage.check(text, in: Self.page, part: "commands")
    }

    @Test("end with the statuses that the tool's help lists")
    func statuses() throws {
        let text = Self.discussion(of: try Self.tool())
        let path = "\(SourceFile.root)/Sources/Commands/retentionctl/ExitStatus.swift"
        let source = String(decoding: try SourceFile.read(path), as: UTF8.self)
        let statuses = source.matches(of: /\n    case \w+ = ([0-9]+)/).compactMap { Int($0.output.1) }
        let listed = text.matches(of: /\n    ([0-9]+) +[A-Z]/).compactMap { Int($0.output.1) }
        #expect(listed == statuses && statuses.count > 1)
        try ManualPage.check(text, in: Self.page, part: "statuses")
    }

    /// The text for a command with its discussion, its arguments and its subcommands. Empty for `help`.
    private static func section(_ command: JSONValue, above: String) -> String {
        let name = above + (command.member("commandName")?.string ?? "")
        guard name != "help", !name.hasSuffix(" help") else { return "" }
        let children = command.member("subcommands")?.elements ?? []
        let arguments = (command.member("arguments")?.elements ?? []).compactMap(entry)
        let abstract = escaped(command.member("abstract")?.string ?? "")
        let own = "## \(name)\n\n\(abstract)\n\n" + discussion(of: command) + arguments.joined()
        return own + children.map { section($0, above: name + " ") }.joined()
    }

    /// The discussion of a command. Indented lines are an example and become code; other lines are paragraphs.
    private static func discussion(of command: JSONValue) -> String {
        let lines = (command.member("discussion")?.string ?? "").split(
            separator: "\n", omittingEmptySubsequences: false)
        var text = ""
        var isCode = false
        for line in lines where !line.isEmpty {
            if line.hasPrefix("  ") {
                text += "    \(line.dropFirst(2))\n"
                isCode = true
            } else {
                text += (isCode ? "\n" : "") + escaped(String(line)) + "\n\n"
                isCode = false
            }
        }
        return text + (isCode ? "\n" : "")
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
