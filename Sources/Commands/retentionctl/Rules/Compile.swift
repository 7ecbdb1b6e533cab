internal import ArgumentParser
internal import DataFiles
internal import JSON
internal import RulesCompiler
internal import System
internal import Vocabulary

/// Compiles a rules source into the file that the service maps.
struct Compile: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles rules into the file that the service loads.",
        discussion: """
            Prints every error with its line and column, embedded tests that fail among them, and writes nothing then. \
            The file is replaced whole or not at \
            all. Equal rules, generation and build time give equal bytes: say --built, or SOURCE_DATE_EPOCH in the \
            environment, for builds that can be repeated. With an inventory, identifiers that Apple does not know or \
            has not approved are refused; elsewhere than in Production, and with --allow-pending, those not approved are \
            compiled and not served. Each such locale is a warning that says what its subscribers get until then. \
            A test that fails for that reason alone is a warning as well, and is no reason for the daemon to refuse \
            the file.

            Example:
              retentionctl compile rules.json --inventory apple.json -o com.example.app.rules
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.", completion: .file(extensions: ["json"]))
    var source: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write; its name ends with .rules.", valueName: "file")
    )
    var outputFile: String

    @OptionGroup var inventory: InventoryOptions

    @OptionGroup var stamp: StampOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try StampOptions.checkName(outputFile, ending: ".rules")
        try OutputPaths.check(
            writing: [outputFile],
            reading: [source] + [inventory.inventory].compactMap { $0 }
        )
    }

    func run() throws {
        let stamp = try stamp.stamp()
        let text = try Input.read(source)
        let options = try inventory.compilerOptions(for: text, of: source)
        let bytes = try RulesCompilerError.mapped(
            to: { ToolFailure($0, file: source) },
            try RulesCompiler.compile(text, stamp: stamp, options: options)
        )
        let file = try CompiledFile.open(bytes, path: source)
        let failures = RulesCompiler.failedTests(of: file, source: text)
        guard failures.isEmpty else {
            throw ToolFailure(.badData, failures.map { $0.inFile(source) })
        }
        // Warnings go to standard error only: they are not part of the document that --json prints.
        let waiting = Lint.awaitingApproval(in: file, source: text)
        Console.report(waiting.map { $0.inFile(source) }, json: false)
        try CompiledFile.write(bytes, to: outputFile, json: output.json)
    }
}
