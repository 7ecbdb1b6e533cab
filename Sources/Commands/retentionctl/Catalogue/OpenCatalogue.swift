internal import AppStoreServerAPI
internal import ArgumentParser
internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import Rules
internal import System

struct CatalogueOptions: ParsableArguments {
    @Argument(help: "The catalogue; its images lie beside it.", completion: .json)
    var file: String

    @OptionGroup var apple: AppleOptions

    @Option(
        help: "Where what was done is kept across runs; .retention beside the catalogue if absent.",
        completion: .directory)
    var state: String?

    @Flag(help: "Ask Apple for the default message of every product in every locale, one call each.")
    var refresh = false

    var images: ImageFiles { ImageFiles(folder: AtomicFile.split(file).directory, decodesAll: false) }

    func open(isWriting: Bool) throws -> OpenCatalogue {
        let checked = try CatalogueFile(file).checked
        let resolved = try ToolError.about(file) { try checked.resolved(for: apple.environment) }
        let known = try look(
            bundleId: resolved.bundleId, checked.catalogue.products.map(\.name), checked.catalogue.locales,
            isWriting: isWriting)
        return OpenCatalogue(
            checked: checked, resolved: resolved, images: images, session: known.session, file: known.file)
    }

    func look(bundleId: String?, _ products: [String], _ locales: [String], isWriting: Bool = false) throws
        -> (
            session: AppleSession, file: StateFile
        )
    {
        guard apple.bundleId == nil || bundleId == nil || apple.bundleId == bundleId else {
            throw ToolError(
                .usage, code: "input.other-app", "the file is that of \(bundleId ?? "")",
                hint: "leave --bundle-id out", file: file)
        }
        let session = try apple.session(bundleId: bundleId)
        let (directory, name) = (stateDirectory, session.stateName)
        let file =
            try isWriting || refresh
            ? StateFile(directory: directory, name: name)
            : StateFile.openIfPossible(directory: directory, name: name)
        if refresh {
            try file.askDefaults(Self.places(products, locales), session.client, at: Clock.wallMilliseconds) {
                Console.progress("asking for default messages: \($0) of \($1)")
            }
            Console.endProgress()
        }
        try file.look(session.client, at: Clock.wallMilliseconds)
        return (session, file)
    }

    static func places(_ products: [String], _ locales: [String]) -> [ProductLocale] {
        products.flatMap { product in locales.map { ProductLocale(product: product, locale: $0) } }
    }

    private var stateDirectory: String { state ?? StateFile.directory(beside: file) }

    /// The files that these options name, which no output may replace: the catalogue, its images, the credentials, and the state.
    func inputs(_ catalogue: OpenCatalogue) throws -> [String] {
        let folder = AtomicFile.split(file).directory
        return [file, "\(stateDirectory)/\(catalogue.session.stateName)"]
            + (try AppleSettings(apple.access)).files
            + catalogue.resolved.images.map { "\(folder)/\($0.file)" }
    }
}

extension AppStoreServer {
    var otherThanApple: String? {
        self == (try? AppStoreServer(environment: environment)) ? nil : baseURL
    }
}

extension AppleSession {
    fileprivate var stateName: String {
        StateFile.name(
            bundleId: credentials.bundleId, environment: server.environment, server: server.otherThanApple)
    }
}

struct OpenCatalogue {
    let checked: CheckedCatalogue
    let resolved: ResolvedCatalogue
    let images: ImageFiles
    let session: AppleSession
    let file: StateFile

    var places: [ProductLocale] {
        CatalogueOptions.places(checked.catalogue.products.map(\.name), checked.catalogue.locales)
    }
}

struct RulesUseOptions: ParsableArguments {
    @Option(help: "Rules that name messages. May be repeated.", completion: .json)
    var rules: [String] = []

    /// Reads the rules. Rules for another environment are an error, since their messages are others.
    func models(_ catalogue: OpenCatalogue) throws -> [(file: String, model: RulesModel)] {
        var messages = try CatalogueMessages(catalogue.checked)
        messages.environment = catalogue.resolved.environment
        return try rules.map { file in
            let model = try RulesInput(file, catalogue: messages).resolved.model
            guard model.environment == catalogue.resolved.environment,
                model.bundleId == catalogue.resolved.bundleId
            else {
                throw ToolError(
                    code: "input.other-app",
                    "these are the rules of \(model.bundleId) in \(model.environment.rawValue)", file: file)
            }
            return (file, model)
        }
    }
}

extension CatalogueUses {
    init(_ models: [(file: String, model: RulesModel)]) {
        self.init()
        for (file, model) in models { add(model, file: file) }
    }
}
