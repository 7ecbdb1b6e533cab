internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import Vocabulary

/// Images at Apple.
struct AppleImage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image", abstract: "Uploads, lists and deletes images.",
        subcommands: [AppleImagePut.self, AppleImageList.self, AppleImageDelete.self])
}

/// Upload Image.
struct AppleImagePut: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Uploads an image under a new identifier.",
        discussion: """
            The image is a PNG without transparency: 3840 pixels wide and 160 to 2160 high, or 1024 by 1024 for a \
            bullet point. When the answer is lost, the command looks into the list before it uploads again.

            Example:
              retentionctl apple image put \\
                0f8b7c1e-3f0a-4f7e-9f5e-7a1d2c3b4a59 hero.png \\
                --environment Sandbox
            """
    )

    @Argument(help: ArgumentHelp("The identifier to upload it under.", valueName: "uuid"))
    var identifier: UUID

    @Argument(help: "The PNG file; - for standard input.", completion: .file(extensions: ["png"]))
    var file: String

    @Option(
        help: ArgumentHelp("FULL_SIZE, or BULLET_POINT for the image of a bullet point.", valueName: "word")
    )
    var size = ImageSize.fullSize

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let png = try Input.read(file)
        let session = try apple.session()
        let outcome = try session.client.uploadImage(png, as: identifier, size: size)
        AppleReport(session: session, json: output.json).done(
            "image \(identifier) uploaded as \(size.rawValue)",
            [("imageIdentifier", .string(identifier.description)), ("imageSize", .string(size.rawValue))],
            outcome)
    }
}

/// Get Image List.
struct AppleImageList: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the images with their states and sizes.",
        discussion: """
            With --json the document has Apple's form.

            Example:
              retentionctl apple image list --environment Production
            """
    )

    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        let images = try session.client.listImages()
        let items = images.map { JSONNode.object($0.members) }
        AppleReport(session: session, json: output.json).list(
            images.map {
                [$0.imageIdentifier.description, $0.imageState.rawValue, $0.imageSize ?? "-"]
            },
            .object([("imageIdentifiers", .array(items))])
        )
    }
}

struct AppleImageDelete: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes an image that no message names.",
        discussion: """
            Example:
              retentionctl apple image delete \\
                0f8b7c1e-3f0a-4f7e-9f5e-7a1d2c3b4a59 \\
                --environment Sandbox --confirm
            """
    )

    @Argument(help: ArgumentHelp("The identifier of the image.", valueName: "uuid"))
    var identifier: UUID

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        try consent.ask("Delete image \(identifier) of \(session.placeToChange)")
        let outcome = try session.client.deleteImage(identifier)
        AppleReport(session: session, json: output.json).done(
            "image \(identifier) deleted", [("imageIdentifier", .string(identifier.description))], outcome)
    }
}
