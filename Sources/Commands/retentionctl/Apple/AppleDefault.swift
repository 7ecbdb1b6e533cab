internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import Vocabulary

/// Default messages at Apple.
struct AppleDefault: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "default",
        abstract: "Sets, prints and deletes the default message of a product in a locale.",
        subcommands: [AppleDefaultPut.self, AppleDefaultGet.self, AppleDefaultDelete.self])
}

/// A product and a locale.
struct DefaultPlace: ParsableArguments {
    @Argument(help: ArgumentHelp("The product.", valueName: "product"))
    var product: String

    @Argument(
        help: ArgumentHelp("The locale as App Store Connect spells it, such as en-US.", valueName: "locale")
    )
    var locale: String

    /// The place for messages.
    var text: String { "\(product) in \(locale)" }

    /// The place for JSON.
    var members: [(String, JSONNode)] { [("productId", .string(product)), ("locale", .string(locale))] }
}

/// Configure Default Message.
struct AppleDefaultPut: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Sets the default message, which Apple shows when no other answer comes.",
        discussion: """
            The message and its image must be APPROVED. Without --confirm the command first asks Apple which default is \
            set, and asks you before it replaces another one.

            Example:
              retentionctl apple default put pro_monthly en-US \\
                6584bedf-2ed0-4c01-93ed-c0c64a1670cc \\
                --environment Sandbox
            """
    )

    @OptionGroup var place: DefaultPlace

    @Argument(help: ArgumentHelp("The identifier of the message.", valueName: "uuid"))
    var message: UUID

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        let report = AppleReport(session: session, json: output.json)
        if !consent.confirm {
            let present = try session.client.defaultMessage(productId: place.product, locale: place.locale)
            if let present, present != message {
                try consent.ask(
                    "Replace the default message \(present) of \(place.text) by \(message) for \(session.placeToChange)"
                )
            }
        }
        try session.client.setDefaultMessage(message, productId: place.product, locale: place.locale)
        report.done(
            "message \(message) is the default of \(place.text)",
            place.members + [("messageIdentifier", .string(message.description))])
    }
}

/// Get Default Message.
struct AppleDefaultGet: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Prints the identifier of the default message.",
        discussion: """
            Ends with 1 when no default message is set.

            Example:
              retentionctl apple default get pro_monthly en-US \\
                --environment Sandbox
            """
    )

    @OptionGroup var place: DefaultPlace
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        let message = try session.client.defaultMessage(productId: place.product, locale: place.locale)
        try AppleReport(session: session, json: output.json)
            .value("messageIdentifier", message?.description, absent: "\(place.text) has no default message")
    }
}

/// Delete Default Message.
struct AppleDefaultDelete: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Removes the default message. The message itself stays.",
        discussion: """
            Example:
              retentionctl apple default delete pro_monthly en-US \\
                --environment Sandbox --confirm
            """
    )

    @OptionGroup var place: DefaultPlace
    @OptionGroup var consent: ConfirmOption
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let session = try apple.session()
        try consent.ask("Remove the default message of \(place.text) for \(session.placeToChange)")
        try session.client.deleteDefaultMessage(productId: place.product, locale: place.locale)
        AppleReport(session: session, json: output.json)
            .done("\(place.text) has no default message now", place.members)
    }
}
