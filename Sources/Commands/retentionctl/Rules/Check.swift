internal import ArgumentParser
internal import DataFiles
internal import Decisions
internal import System

/// Says what the loader would say about a file.
struct Check: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a compiled file as the service does when it loads it.",
        discussion: """
            Looks at every byte: digest, checksums, sections, strings, references and conditions, and runs the \
            tests that the file carries. Ends with 0 when the file is good, with 65 and the code, the section and \
            the byte when it is not. What only the service knows, its apps and the generation it serves, \
            retentiond -t checks.

            Example:
              retentionctl check com.example.app.rules
            """
    )

    @Argument(help: "The compiled file; - for standard input.", completion: .file(extensions: ["rules"]))
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        let opened = try CompiledFile.open(file)
        let ahead = opened.header.builtAtMilliseconds - Clock.wallMilliseconds()
        guard ahead <= Self.futureMilliseconds else {
            throw ToolFailure(
                .badData,
                code: "built-in-future",
                "built more than a day ahead of this machine's clock",
                file: file
            )
        }
        if let failed = EmbeddedTests.run(opened).first(where: { !$0.passes }) {
            let differences = failed.differences.map(\.description).joined(separator: "; ")
            let message = "test \"\(failed.name)\" fails: \(differences)"
            throw ToolFailure(.badData, code: "embedded-test-failed", message, file: file)
        }
        CompiledFile.show(opened, path: file, json: output.json)
    }

    /// As the loader: rules.md section 1, "build time in the future by more than a day".
    private static let futureMilliseconds: Int64 = 86_400_000
}
