internal import ArgumentParser

/// Prints the rows of a facts file.
struct Dump: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Prints the rows of a facts file, each as a JSON object on a line.",
        discussion: """
            The output is always JSON. If you compile it with the same --built, you get the same file. The rows come in the \
            order of the file.

            Example:
              retentionctl dump com.example.app.facts | less
            """
    )

    @Argument(
        help: "The facts file.",
        completion: .file(extensions: ["facts"])
    )
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws { try CompiledFacts.dump(file) }
}
