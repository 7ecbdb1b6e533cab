internal import ArgumentParser
internal import RulesCompiler
internal import System
internal import Vocabulary

/// Compiles a rules source into the file that is pushed.
struct Compile: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles rules into the file that the service loads.",
        discussion: """
            Writes rules that stand alone: the author's JSON with the files that it includes, with the identifiers of \
            messages from a catalogue, and with the identifiers that Apple has not approved. Rules that need none of \
            these can be pushed as they are.

            If the rules have errors, the command prints them and writes nothing. Each error has its line and column; \
            a test that fails is an error too. The command prints up to 100 errors and counts the others. Some errors \
            are printed alone, because the tool does not guess what was meant: a text that is not JSON, an object with \
            a key twice, and a number beyond 64 bits.

            The output file is replaced as a whole or not at all. Equal rules and options give equal bytes.

            With a catalogue, the rules may serve its messages by their names and need no `messages` of their own.

            With an inventory, the command refuses identifiers that Apple does not know or has not approved. Outside \
            Production, or with --allow-pending, it compiles identifiers that are not approved so that they are not \
            served. It then warns about each such locale and says what the subscribers get until Apple approves. A \
            test that fails only for this reason is a warning as well, and the daemon does not refuse the file for it.

            Example:
              retentionctl compile rules.json --inventory apple.json \\
                -o com.example.app.rules.json
              retentionctl compile rules.json --catalogue catalogue.json \\
                -o com.example.app.rules.json
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.", completion: .file(extensions: ["json"]))
    var source: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write; its name ends with .rules.json.", valueName: "file")
    )
    var outputFile: String

    @OptionGroup var inventory: InventoryOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try DataFileOutput.checkName(outputFile, ending: ".rules.json")
        try OutputPaths.check(writing: [outputFile], reading: [source] + inventory.paths)
    }

    func run() throws {
        let text = try RulesSourceFile(source)
        let input = try RulesInput(text, options: try inventory.compilerOptions(for: text))
        try input.checkTests(.badData)
        input.reportWaiting()
        try SystemCallError.mapped(
            to: { ToolFailure(writing: outputFile, $0) },
            try AtomicFile.write(
                input.resolved.text.span, to: outputFile, permissions: FileCreationMask.permissionsOfFiles())
        )
        input.show(outputFile, json: output.json)
    }
}
