internal import ArgumentParser
internal import DataFiles
internal import JSON
internal import RulesCompiler
internal import System

/// Says what the loader would say about a facts file, alone or beside the rules it is for.
struct FactsCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a facts file as the service does when it loads it.",
        discussion: """
            Looks at every byte: digest, checksums, sections, keys, rows and strings. With --rules also whether the \
            file has every fact that the rules declare, with values of the declared kind. Ends with 0 when all is \
            good, with 65 and the code, the section and the byte when it is not.

            Example:
              retentionctl facts check com.example.app.facts --rules com.example.app.rules
            """
    )

    @Argument(help: "The facts file.", completion: .file(extensions: ["facts"]))
    var file: String

    @Option(
        help: ArgumentHelp("A compiled rules file to check it against.", valueName: "file"),
        completion: .file(extensions: ["rules"])
    )
    var rules: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let opened = try CompiledFacts.open(file, check: .full)
        let ahead = opened.header.builtAtMilliseconds - Clock.wallMilliseconds()
        guard ahead <= Self.futureMilliseconds else {
            throw ToolFailure(
                .badData,
                code: "built-in-future",
                "built more than a day ahead of this machine's clock",
                file: file
            )
        }
        if let rules {
            let declared = try CompiledFile.open(rules)
            do throws(DataFileError) {
                _ = try FactsBinding(rules: declared, facts: opened)
            } catch {
                throw ToolFailure(.badData, code: error.code, error.description, file: file)
            }
        }
        guard output.json else { return CompiledFacts.show(opened, path: file) }
        Console.print(
            bytes: JSONNode.object(CompiledFacts.json(of: opened, path: file)).serialized(pretty: true)
                + [UInt8(ascii: "\n")]
        )
    }

    /// As the loader: rules.md section 1, "build time in the future by more than a day".
    private static let futureMilliseconds: Int64 = 86_400_000
}
