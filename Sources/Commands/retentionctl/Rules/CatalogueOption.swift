internal import ArgumentParser
internal import Catalogue
internal import RulesCompiler
internal import Vocabulary
internal import RulesReading

/// The option of the commands that compile, about the messages in a catalogue.
struct CatalogueOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The catalogue whose messages the rules may serve; its images lie beside it.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var catalogue: String?

    /// Reads the catalogue and its images, and returns the messages for every environment that rules can have; nil without
    /// the option.
    func messages() throws(ToolFailure) -> CatalogueMessages? {
        try catalogue.map { path throws(ToolFailure) in try CatalogueFile(path).messages() }
    }
}

extension CatalogueMessages {
    init(_ checked: CheckedCatalogue) throws(CatalogueError) {
        let catalogue = checked.catalogue
        self.init(appAppleId: catalogue.appAppleId, bundleId: catalogue.bundleId, messages: [:])
        for environment in Environment.allCases where environment != .xcode {
            let resolved = try checked.resolved(for: environment)
            messages[environment] = resolved.rulesMessages
            for message in resolved.messages { images[message.identifier] = message.images }
        }
    }
}
