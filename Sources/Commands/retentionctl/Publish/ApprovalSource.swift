internal import AppStoreServerAPI
internal import ArgumentParser
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// Where the states of messages and images come from: Apple's server, or a file.
struct ApprovalOptions: ParsableArguments {
    @OptionGroup var catalogue: CatalogueOption

    @Option(
        help: ArgumentHelp(
            "Message and image states from a file, as catalogue pull writes it, instead of asking Apple.",
            valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var inventory: String?

    @Flag(
        help: """
            In Production too, publish rules that serve messages which are not APPROVED. These are not served; the \
            reasons become warnings.
            """
    )
    var allowPending = false

    /// Returns the states, from the file or from Apple. `bundleId` is that of the rules.
    func states(_ apple: AppleOptions, bundleId: String) throws -> Inventory {
        if let inventory {
            let text = try Input.read(inventory)
            return try RulesSourceError.mapped(
                to: { ToolFailure($0, file: inventory) },
                try Inventory(reading: text)
            )
        }
        let session = try apple.session(bundleId: bundleId)
        return Inventory(
            messages: try session.client.listMessages().map { ($0.messageIdentifier, $0.messageState) },
            images: try session.client.listImages().map { ($0.imageIdentifier, $0.imageState) }
        )
    }

    /// Where the states come from, for people.
    var source: String { inventory ?? "Apple" }
}

extension Inventory {
    /// Takes Apple's lists. When an identifier stands twice, the first one counts.
    fileprivate init(messages: [(UUID, ReviewState)], images: [(UUID, ReviewState)]) {
        self.init(
            messages: Dictionary(messages.map { ($0, Message(state: State($1))) }) { first, _ in first },
            images: Dictionary(images.map { ($0, State($1)) }) { first, _ in first }
        )
    }
}

extension Inventory.State {
    /// Takes Apple's state. One that this version does not know is not an approval.
    fileprivate init(_ state: ReviewState) {
        self =
            switch state {
            case .approved: .approved
            case .rejected: .rejected
            case .pending, .other: .pending
            }
    }
}
