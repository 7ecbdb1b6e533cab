internal import AppStoreServerAPI
internal import ArgumentParser
internal import Authoring
internal import Facts
internal import System

/// Where the states of messages and images come from: Apple's server, or the state of a catalogue.
struct ApprovalOptions: ParsableArguments {
    @OptionGroup var catalogue: CatalogueOption

    @Option(
        help: ArgumentHelp(
            "Take the states of messages and images that the catalogue's commands keep in this directory, and ask nothing.",
            valueName: "dir"),
        completion: .directory
    )
    var state: String?

    @Flag(
        help: """
            In Production too, publish rules that serve messages which are not APPROVED. These are not served; the \
            reasons become warnings.
            """
    )
    var allowPending = false

    /// Returns the states, from Apple or from a file. `bundleId` is that of the rules.
    func states(_ apple: AppleOptions, bundleId: String) throws -> ReviewStates {
        if let state {
            let server = try AppStoreServer(
                environment: apple.environment, baseURL: try AppleSettings(apple).baseURL)
            var states = try ReviewStates.kept(
                in: state, bundleId: bundleId, apple.environment, server: server.otherThanApple)
            states.isComplete = true
            return states
        }
        let client = try apple.session(bundleId: bundleId).client
        // When an identifier stands twice, the first one counts.
        return ReviewStates(
            messages: Dictionary(
                try client.listMessages().map { ($0.messageIdentifier, $0.messageState) }
            ) { first, _ in first },
            images: Dictionary(
                try client.listImages().map { ($0.imageIdentifier, $0.imageState) }
            ) { first, _ in first },
            isComplete: true)
    }

    /// Where the states come from, for people.
    var source: String { state ?? "Apple" }
}
