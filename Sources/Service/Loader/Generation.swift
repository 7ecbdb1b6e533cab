public import Configuration
public import Cryptography
public import DataFiles
internal import System
public import Vocabulary

/// One immutable set of configuration, anchors and data files, in memory that the kernel has sealed. A worker serves
/// the same generation from its start to its end.
public final class Generation: Sendable {
    /// The table of contents.
    public let manifest: Manifest
    private let rulesFiles: [Role: RulesFile]
    private let factsFiles: [Role: BoundFacts]
    private let signingKeys: [Int64: SigningKey]

    private struct Role: Hashable {
        let appAppleId: Int64
        let environment: Environment
    }

    /// The number of the load that made this generation.
    public var sequence: Int { manifest.sequence }

    /// The configuration that this generation serves with.
    public var configuration: Configuration { manifest.configuration }

    /// Opens the generation that a supervisor placed at a worker's start. ``LoaderLimits`` has the numbers of the
    /// descriptors.
    ///
    /// - Throws: `manifest-invalid`, the codes of a data file, `load-system`.
    public convenience init() throws(LoadError) {
        try self.init(Loader.present())
    }

    /// Loads the configuration at `path` and its files in this process, without a supervisor or a loader: for a
    /// standalone worker and for one CGI request.
    public convenience init(loadingConfigurationAt path: String) throws(LoadError) {
        // Set before the first key is read. A supervisor sets the same limit for its workers.
        let limit = try Loader.readConfiguration(path: path).coreLimit
        try SystemCallError.mapped(
            to: LoadError.system, try ResourceLimits.set(.core, to: UInt64(max(0, limit))))
        let result = try Loader(configurationPath: path, sequence: 1, source: .pushed)
            .load(present: nil, skipsUnusableSigningKeys: true)
        var numbers: [Int32] = []
        var owners: [DescriptorList] = []
        for file in result.files {
            guard case .copied(let list) = file.place else { continue }
            owners.append(list)
            numbers.append(
                try SystemCallError.mapped(to: LoadError.system, try list.duplicate(at: 0).release())
            )
        }
        let descriptors = DescriptorList(takingOwnership: numbers)
        try self.init(
            PresentGeneration(manifest: result.manifest, keys: result.keys, descriptors: descriptors)
        )
    }

    init(_ present: PresentGeneration) throws(LoadError) {
        let (manifest, descriptors) = (present.manifest, present.descriptors)
        var rules: [Role: RulesFile] = [:]
        var facts: [Role: FactsFile] = [:]
        for (index, file) in manifest.files.enumerated() {
            let mapped = try SystemCallError.mapped(
                to: LoadError.system,
                try MappedMemory(of: ImmutableFile(verifying: descriptors.duplicate(at: index)).descriptor))
            let role = Role(appAppleId: file.appAppleId, environment: file.environment)
            // The loader has checked these very bytes; nobody can have changed them since.
            try DataFileError.mapped(
                to: { LoadError.dataFile(name: file.name, $0) },
                giving: mapped
            ) { mapped throws(DataFileError) in
                switch file.kind {
                case .rules: rules[role] = try RulesFile(mapping: mapped, check: .structure)
                case .facts: facts[role] = try FactsFile(mapping: mapped, check: .structure)
                }
            }
        }
        self.manifest = manifest
        rulesFiles = rules
        factsFiles = try Self.bind(facts, to: rules)
        signingKeys = try SigningKeyMemory.read(
            SystemCallError.mapped(to: LoadError.system, try present.keys.duplicate(at: 0))
        )
    }

    private static func bind(_ facts: [Role: FactsFile], to rules: [Role: RulesFile]) throws(LoadError)
        -> [Role: BoundFacts]
    {
        var bound: [Role: BoundFacts] = [:]
        for (role, file) in facts {
            guard let rules = rules[role] else { continue }
            let binding = try DataFileError.mapped(
                to: { LoadError.dataFile(name: "facts of app \(role.appAppleId)", $0) },
                try FactsBinding(rules: rules, facts: file)
            )
            bound[role] = BoundFacts(file: file, binding: binding)
        }
        return bound
    }

    /// Returns the rules for an app in an environment; nil when no rules were pushed for them.
    public func rules(appAppleId: Int64, environment: Environment) -> RulesFile? {
        rulesFiles[Role(appAppleId: appAppleId, environment: environment)]
    }

    /// Returns the facts for an app in an environment; nil when no facts were pushed for them, or no rules.
    public func facts(appAppleId: Int64, environment: Environment) -> BoundFacts? {
        factsFiles[Role(appAppleId: appAppleId, environment: environment)]
    }

    /// The rules of all apps and environments.
    public var allRules: [RulesFile] { Array(rulesFiles.values) }

    /// True when any rules are loaded; without rules `ping` answers 503.
    public var hasRules: Bool { !rulesFiles.isEmpty }

    /// Returns the key that signs for an app; nil when the app has no key.
    public func signingKey(appAppleId: Int64) -> SigningKey? { signingKeys[appAppleId] }
}
