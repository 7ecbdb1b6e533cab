internal import ArgumentParser
internal import DataFiles
internal import DataFileWriting
internal import Vocabulary

/// Gives an old rules file a new generation, to roll back in an incident.
struct Restamp: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "restamp",
        abstract: "Gives a compiled rules file a new generation, so that an old one can be loaded again.",
        discussion: """
            The service refuses a rules file whose generation is lower than that of the one it serves. To go back to \
            old rules, give the file a new generation with this command, and push it. Facts need none of this: push the older file.

            Example:
              retentionctl restamp yesterday.rules \\
                -o com.example.app.rules
            """
    )

    @Argument(help: "The compiled file; - for standard input.", completion: .file(extensions: ["rules"]))
    var file: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write; its name ends with .rules.", valueName: "file")
    )
    var outputFile: String

    @OptionGroup var stamp: StampOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try StampOptions.checkName(outputFile, ending: ".rules")
        try OutputPaths.check(writing: [outputFile], reading: [file])
    }

    func run() throws {
        let old = try Input.read(file)
        let stamp = try stamp.stamp()
        let bytes = try DataFileError.mapped(
            to: { ToolFailure($0, file: file) },
            try RulesFileWriter.restamp(old, stamp: stamp)
        )
        let before = try CompiledFile.open(old, path: file).header.generation
        guard before < stamp.generation else {
            throw ToolFailure(
                .badData, code: "restamp.generation-not-higher",
                "the new generation \(stamp.generation) is not above the file's own, \(before)", file: file)
        }
        try CompiledFile.write(bytes, to: outputFile, json: output.json)
    }
}
