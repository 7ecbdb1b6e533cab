internal import ArgumentParser
internal import DataFiles
internal import JSON
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// Compiles a rules source into the file that the service maps.
struct Compile: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles rules into the file that the service loads.",
        discussion: """
            If the rules have errors, the command prints them and writes nothing. Each error has its line and column; \
            a test that fails is an error too. The command prints up to 100 errors and counts the others. Some errors \
            are printed alone, because the tool does not guess what was meant: a text that is not JSON, an object with \
            a key twice, and a number beyond 64 bits.

            The output file is replaced as a whole or not at all. Equal rules, generation and build time give equal \
            bytes. For a reproducible build, give --built, or set SOURCE_DATE_EPOCH in the environment.

            With a catalogue, the rules may serve its messages by their names and need no `messages` of their own.

            With an inventory, the command refuses identifiers that Apple does not know or has not approved. Outside \
            Production, or with --allow-pending, it compiles identifiers that are not approved so that they are not \
            served. It then warns about each such locale and says what the subscribers get until Apple approves. A \
            test that fails only for this reason is a warning as well, and the daemon does not refuse the file for it.

            Example:
              retentionctl compile rules.json --inventory apple.json \\
                -o com.example.app.rules
              retentionctl compile rules.json --catalogue catalogue.json \\
                -o com.example.app.rules
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
        try OutputPaths.check(writing: [outputFile], reading: [source] + inventory.paths)
    }

    func run() throws {
        let stamp = try stamp.stamp()
        let text = try Input.read(source)
        let options = try inventory.compilerOptions(for: text, of: source)
        let bytes = try RulesSourceError.mapped(
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
