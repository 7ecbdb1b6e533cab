internal import ArgumentParser
internal import DataFiles
internal import Decisions
internal import RulesCompiler
internal import Vocabulary

/// Reports what the loader would find in a compiled file.
struct Check: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a compiled file as the service does when it loads it.",
        discussion: """
            Takes a compiled file of rules or facts; for rules in JSON use lint. Reads every byte: digest, checksums, \
            sections, strings, references and conditions. Then it runs the tests in the file, and names each locale in \
            which Apple has not approved a message. A facts file is checked as facts check does it.

            Ends with 0 if the file is good. Otherwise it ends with 65 and prints the code, the section and the byte. \
            The command does not know the apps of the service, nor the generation that the service has loaded; \
            retentiond -t checks the file against them.

            Example:
              retentionctl check com.example.app.rules
            """
    )

    @Argument(
        help: "The compiled file; - for standard input.",
        completion: .file(extensions: ["rules", "facts"])
    )
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        if try CompiledFacts.isFacts(file) { return try CompiledFacts.check(file, json: output.json) }
        let opened = try CompiledFile.open(file)
        try CompiledFile.checkBuildTime(opened.header, path: file)
        if let failed = EmbeddedTests.run(opened).first(where: { !$0.passes }) {
            let differences = failed.differences.map(\.description).joined(separator: "; ")
            let message = "test \"\(failed.name)\" fails: \(differences)"
            throw ToolFailure(.badData, code: "embedded-test-failed", message, file: file)
        }
        Console.report(PendingLocale.all(in: opened).map { Finding($0, file: file) }, json: false)
        CompiledFile.show(opened, path: file, json: output.json)
    }
}
