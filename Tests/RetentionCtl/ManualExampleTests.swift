import JSON
import Support
import System
import Testing

@Suite("The examples of the pages")
struct ManualExampleTests {
    /// A command of the tool, as the tool describes itself.
    private struct Command {
        let commands: [String: JSONValue]
        /// The long and short options, each true when a value follows.
        private(set) var options: [String: Bool] = [:]
        /// The spellings of each option that must be given.
        private(set) var required: [Set<String>] = []
        private(set) var positionalCount = 0

        init(_ value: JSONValue) {
            commands = Dictionary(
                (value.member("subcommands")?.elements ?? []).compactMap { command in
                    command.member("commandName")?.string.map { ($0, command) }
                }
            ) { first, _ in first }
            for argument in value.member("arguments")?.elements ?? [] {
                let isRequired = argument.member("isOptional")?.boolean == false
                let kind = argument.member("kind")?.string
                guard kind != "positional" else {
                    positionalCount += isRequired ? 1 : 0
                    continue
                }
                let names = (argument.member("names")?.elements ?? []).compactMap { name in
                    name.member("name")?.string.map {
                        (name.member("kind")?.string == "long" ? "--" : "-") + $0
                    }
                }
                for name in names { options[name] = kind == "option" }
                if isRequired { required.append(Set(names)) }
            }
        }
    }

    /// Returns the commands of a page: lines of code that begin with the tool's name, with the lines that continue them.
    private static func examples(in text: String) -> [String] {
        var examples: [String] = []
        var isContinued = false
        var isFenced = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " }
            if words.hasPrefix("```") { isFenced.toggle() }
            if isContinued {
                examples[examples.count - 1] += " " + words
            } else if words.hasPrefix("retentionctl "), isFenced || line.hasPrefix("    ") {
                // Behind two spaces stands what the command is for.
                let end = words.firstRange(of: "  ")?.lowerBound ?? words.endIndex
                examples.append(String(words[..<end]))
            } else {
                continue
            }
            isContinued = examples[examples.count - 1].hasSuffix("\\")
            if isContinued { examples[examples.count - 1].removeLast() }
        }
        return examples
    }

    /// Returns what is wrong with a command, or nil.
    private static func problem(of example: String, _ tool: JSONValue) -> String? {
        let quoted = example.replacing(/'[^']*'|"[^"]*"/, with: "quoted")
        let own = quoted.prefix { !"|>&".contains($0) }
        var words = own.split(separator: " ").dropFirst().map(String.init)[...]
        var command = Command(tool)
        while let word = words.first, let next = command.commands[word] {
            command = Command(next)
            words = words.dropFirst()
        }
        guard command.commands.isEmpty else { return "no such command" }
        var given: Set<String> = []
        var positionalCount = 0
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                positionalCount += 1
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let hasValue = command.options[name] else { return "no option \(name)" }
            given.insert(name)
            if hasValue, name == word { words = words.dropFirst() }
        }
        // Three dots stand for what another example has.
        guard !example.contains("…") else { return nil }
        if let missing = command.required.first(where: { given.isDisjoint(with: $0) }) {
            return "\(missing.sorted()) is missing"
        }
        return positionalCount < command.positionalCount ? "an argument is missing" : nil
    }

    @Test("are commands that the tool takes: their options exist, and everything that is required is given")
    func examples() throws {
        let help = try Tool.run(["--experimental-dump-help"]).output
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let document = try JSONDocument(parsing: Array(help.utf8).span, limits: limits).root
        let tool = try #require(document.member("command"))
        let folder = try FileDescriptor.openDirectory(path: "\(SourceFile.root)/Sources/Manual")
        let pages = try Directory.names(in: folder, limitCount: 100).filter { $0.hasSuffix(".md") }.sorted()
        for path in ["README.md", "examples/WALKTHROUGH.md"] + pages.map({ "Sources/Manual/\($0)" }) {
            let text = String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
            for example in Self.examples(in: text) {
                let problem = Self.problem(of: example, tool)
                #expect(problem == nil, "\(path): \(example): \(problem ?? "")")
            }
        }
        let wrong = [
            "retentionctl catalogue status c.json --html p.html", "retentionctl catalogue plan",
            "retentionctl catalogue", "retentionctl catalogue plan c.json --environment Sandbox --ignored x",
        ]
        for example in wrong { #expect(Self.problem(of: example, tool) != nil, "\(example)") }
    }
}
