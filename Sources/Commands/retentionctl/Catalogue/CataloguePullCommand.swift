internal import ArgumentParser
internal import Catalogue
internal import JSON
internal import System
internal import Vocabulary

/// Writes what `compile --inventory` reads.
struct CataloguePullCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Writes Apple's lists as the file that compile --inventory reads.",
        discussion: """
            Apple's lists do not say which images a message has; the catalogue adds that for its own messages.

            Example:
              retentionctl catalogue pull catalogue.json --environment Production \\
                -o inventory.json
              retentionctl compile rules.json --catalogue catalogue.json \\
                --inventory inventory.json -o com.example.app.rules
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write; it is replaced as a whole.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var target: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        try OutputPaths.check(writing: [target], reading: try catalogue.inputs())
        let online = try catalogue.open()
        try OutputPaths.check(writing: [target], reading: online.local.pictures)
        let inventory = try online.inventory(try online.journalIfPossible())
        let text = inventory.json(online.resolved).serialized(pretty: true) + [UInt8(ascii: "\n")]
        try SystemCallError.mapped(
            to: { ToolFailure(writing: target, $0) },
            try AtomicFile.write(text.span, to: target, permissions: FileCreationMask.permissionsOfFiles())
        )
        guard output.json else {
            let counts = [(inventory.messages.count, "message"), (inventory.images.count, "image")]
            let words = counts.map { CountText.of($0.0, $0.1) }.joined(separator: ", ")
            Console.print("\(target): \(words)")
            return
        }
        Console.print(
            .object([
                ("file", .string(target)), ("messages", .integer(Int64(inventory.messages.count))),
                ("images", .integer(Int64(inventory.images.count))),
            ])
        )
    }
}
