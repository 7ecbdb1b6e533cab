internal import AppStoreServerAPI
internal import ArgumentParser
internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import Rules
internal import System

struct CatalogueOption: ParsableArguments {
    @Option(help: "The catalogue whose messages the rules may serve.", completion: .json)
    var catalogue: String?

    /// `environment` is that of rules that name none.
    func messages(environment: Environment? = nil) throws -> CatalogueMessages? {
        var messages = try catalogue.map { try CatalogueFile($0).messages() }
        messages?.environment = environment
        return messages
    }
}

extension CatalogueMessages {
    init(_ checked: CheckedCatalogue) throws {
        let catalogue = checked.catalogue
        self.init(
            appAppleId: catalogue.appAppleId, bundleId: catalogue.bundleId,
            products: catalogue.products.map { RulesModel.Product(name: $0.name, group: $0.group) },
            messages: [:])
        for environment in Environment.allCases where environment != .xcode {
            let resolved = try checked.resolved(for: environment)
            messages[environment] = resolved.rulesMessages
            for message in resolved.messages { images[message.identifier] = message.images }
        }
    }
}

struct RulesEnvironmentOption: ParsableArguments {
    @Option(help: "The environment of rules that name none and take their messages from a catalogue.")
    var environment: Environment?

    /// Refuses rules of another environment: their identifiers are others.
    func check(_ input: RulesInput) throws {
        let own = input.rules.environment
        guard let environment, environment != own else { return }
        throw ToolError(
            code: "input.other-app", "these rules are for \(own.rawValue)",
            hint: "leave --environment out, or \"environment\" out of the rules", file: input.source.path)
    }
}

struct CatalogueFile {
    let path: String
    let text: [UInt8]
    let checked: CheckedCatalogue

    init(_ path: String) throws {
        self.path = path
        text = try Input.read(path, limitBytes: CatalogueLimits.sourceByteCount)
        checked = CheckedCatalogue(
            text, images: ImageFiles(folder: AtomicFile.split(path).directory, decodesAll: false))
    }

    func messages() throws -> CatalogueMessages {
        var messages = try ToolError.about(path) { try CatalogueMessages(checked) }
        messages.file = path
        return messages
    }
}

extension AppleState {
    /// Without the file of the catalogue's commands nothing is known. `server` is another than Apple's.
    static func kept(
        in directory: String, bundleId: String, _ environment: Environment, server: String? = nil
    ) throws -> AppleState {
        let name = StateFile.name(bundleId: bundleId, environment: environment, server: server)
        let path = "\(directory)/\(name)"
        if let state = try StateFile.read(path) { return state }
        Console.log("\(path) does not exist: Apple's states of messages and images are not known")
        return AppleState()
    }
}
