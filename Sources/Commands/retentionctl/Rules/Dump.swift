internal import ArgumentParser
internal import DataFiles
internal import JSON
internal import RulesCompiler

/// Prints the source of a compiled file.
struct Dump: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Prints a compiled file as its source: rules in JSON, facts as a JSON object on each line.",
        discussion: """
            Takes a compiled file of rules or facts. The output is always JSON. If you compile it with the same \
            --built (and, for rules, --generation), you get the same file. The rows of a facts file come in the order of the \
            file.

            Example:
              retentionctl dump com.example.app.rules | less
            """
    )

    @Argument(
        help: "The compiled file; - for standard input.",
        completion: .file(extensions: ["rules", "facts"])
    )
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        if try CompiledFacts.isFacts(file) { return try CompiledFacts.dump(file) }
        let model = RulesModel(reading: try CompiledFile.open(file))
        Console.print(pretty: model.source)
    }
}
