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
            Takes a compiled file, rules or facts; rules in JSON are for lint. Looks at every byte: digest, checksums, sections, strings, references and conditions, and runs the \
            tests that the file carries. Names each locale of a message that Apple has not approved. Ends with 0 when the file is good, with 65 and the code, the section and \
            the byte when it is not. What only the service knows, its apps and the generation it serves, \
            retentiond -t checks. A facts file is checked as by facts check.

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
