internal import ArgumentParser
internal import DataFiles

/// Reports what the loader would find in a facts file, alone or together with the rules it is for.
struct FactsCheck: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a facts file as the service does when it loads it.",
        discussion: """
            Reads every byte: digest, checksums, sections, keys, rows and strings. With --rules it also checks that \
            the file has every fact that a condition, a split or a cap of the rules reads, with values of the declared \
            type. Ends with 0 if the file is good. Otherwise it ends with 65 and prints the code, the section and the \
            byte.

            Example:
              retentionctl facts check com.example.app.facts \\
                --rules com.example.app.rules
            """
    )

    @Argument(help: "The facts file.", completion: .file(extensions: ["facts"]))
    var file: String

    @Option(
        help: ArgumentHelp("The rules to check it against, compiled or a source.", valueName: "file"),
        completion: .file(extensions: ["rules", "json"])
    )
    var rules: String?

    @OptionGroup var catalogue: CatalogueOption

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard rules != nil || catalogue.catalogue == nil else {
            throw ValidationError("--catalogue needs --rules, which serve its messages.")
        }
    }

    func run() throws {
        guard let rules else { return try CompiledFacts.check(file, json: output.json) }
        let declared = try RulesInput(rules, catalogue: try catalogue.messages()).rules
        try CompiledFacts.check(file, json: output.json) { opened throws(ToolFailure) in
            _ = try FactsSource(opened, file, for: declared)
        }
    }
}
