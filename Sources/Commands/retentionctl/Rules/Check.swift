internal import ArgumentParser

/// Reports what the loader would find in a file.
struct Check: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a file as the service does when it loads it.",
        discussion: """
            Takes rules in JSON that stand alone, or a facts file; for likely mistakes in rules use lint. Reads the rules \
            as the service does, runs their tests, and names each locale in which Apple has not approved a message. A \
            facts file is checked as facts check does it.

            Ends with 0 if the file is good. Otherwise it ends with 65 and prints the code and the place. The command \
            does not know the apps of the service; retentiond -t checks the file against them.

            Example:
              retentionctl check com.example.app.rules.json
            """
    )

    @Argument(
        help: "The rules or the facts file; - for standard input.",
        completion: .file(extensions: ["json", "facts"])
    )
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        if try CompiledFacts.isFacts(file) { return try CompiledFacts.check(file, json: output.json) }
        let input = try RulesInput(file, catalogue: nil)
        try input.checkTests(.badData)
        input.reportWaiting()
        input.show(file, json: output.json)
    }
}
