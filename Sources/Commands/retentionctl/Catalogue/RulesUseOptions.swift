internal import ArgumentParser
internal import Catalogue
internal import DataFiles
internal import RulesCompiler
internal import Vocabulary
internal import RulesReading

/// The rules that name messages.
struct RulesUseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A rules source that names messages. May be repeated.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var rules: [String] = []

    @Option(
        help: ArgumentHelp("Rules that a host serves. May be repeated.", valueName: "file"),
        completion: .file()
    )
    var served: [String] = []

    /// Reads the rules. Rules for another environment are an error, since their messages are others.
    func models(_ catalogue: LocalCatalogue) throws -> [(file: String, model: RulesModel)] {
        var options = RulesCompilerOptions()
        options.catalogue = try CatalogueMessages(catalogue.checked)
        var models: [(file: String, model: RulesModel)] = []
        for file in rules {
            let source = try RulesSourceFile(file)
            let model = try RulesSourceError.mapped(
                to: source.failure, try RulesCompiler.model(of: source.bytes, options: options))
            models.append((file, model))
        }
        for file in served { models.append((file, try RulesInput(file, catalogue: nil).resolved.model)) }
        for (file, model) in models
        where model.environment != catalogue.resolved.environment
            || model.bundleId != catalogue.resolved.bundleId
        {
            throw ToolFailure(
                .badData, code: "catalogue.other-rules",
                "these are the rules of \(model.bundleId) in \(model.environment.rawValue)", file: file)
        }
        return models
    }

    /// Reads the rules and collects the messages that they name.
    func uses(_ catalogue: LocalCatalogue) throws -> CatalogueUses {
        var uses = CatalogueUses()
        for (file, model) in try models(catalogue) { uses.add(model, file: file) }
        return uses
    }
}
