public import Configuration
public import Cryptography
public import DataFiles
internal import System
public import Vocabulary

/// One immutable set of configuration, anchors and data files, in files that nobody but the pool can write. A worker serves
/// the same generation from its start to its end.
public final class Generation: Sendable {
    /// The table of contents.
    public let manifest: Manifest
    /// The key of the decision records; nil when the generation writes no records, or its file cannot be used.
    public let identifierKey: IdentifierKey?
    /// The keys that this process has to do without, although they were loaded.
    public let warnings: [LoadWarning]
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

    /// Opens the generation in a directory that a loader has written.
    ///
    /// - Throws: `manifest-invalid`, the codes of a data file, `load-system`.
    public convenience init(directory: String) throws(LoadError) {
        let manifest = try Manifest.read(in: directory)
        try self.init(manifest) { file throws(SystemCallError) in
            try MappedMemory(of: FileDescriptor.openForReading(path: "\(directory)/\(file.mappedName)"))
        }
    }

    /// Opens what a process without a supervisor serves: the pool's current generation, when it was made with the present
    /// configuration, anchors and keys, else the pushed files. Writes nothing: its rules are compiled into memory of this process.
    public convenience init(loadingConfigurationAt path: String) throws(LoadError) {
        // Set before the first key is read. A supervisor sets the same limit for its workers.
        let configuration = try Loader.readConfiguration(path: path)
        try SystemCallError.mapped(
            to: LoadError.system, try ResourceLimits.set(.core, to: UInt64(max(0, configuration.coreLimit))))
        func load(_ source: LoadSource, _ last: StoredGeneration?) throws(LoadError) -> Loader.Result {
            try Loader(
                configurationPath: path, sequence: last?.manifest.sequence ?? 1, source: source
            ).load(last: last, skipsUnusableKeys: true) { .memory }
        }
        let store = GenerationStore(configuration)
        let unchanged = try? load(.unchanged, StoredGeneration(store.current, in: store))
        let result: Loader.Result
        if let unchanged { result = unchanged } else { result = try load(.pushed, nil) }
        let files = Dictionary(uniqueKeysWithValues: result.files.map { ($0.file.name, $0.mapped) })
        try self.init(result.manifest) { file throws(SystemCallError) in
            guard let mapped = files[file.name] else { throw .found(.fileEmpty) }
            return try MappedMemory(of: mapped.descriptor)
        }
    }

    private init(_ manifest: Manifest, map: (ManifestFile) throws(SystemCallError) -> MappedMemory)
        throws(LoadError)
    {
        var rules: [Role: RulesFile] = [:]
        var facts: [Role: FactsFile] = [:]
        for file in manifest.files {
            let mapped = try SystemCallError.mapped(to: LoadError.system, try map(file))
            let role = Role(appAppleId: file.appAppleId, environment: file.environment)
            // The load has checked these very bytes in this boot.
            try DataFileError.mapped(
                to: { LoadError.dataFile(name: file.name, $0) },
                giving: mapped
            ) { mapped throws(DataFileError) in
                switch file.kind {
                case .rules: rules[role] = try RulesFile(mapping: mapped)
                case .facts: facts[role] = try FactsFile(mapping: mapped, check: .structure)
                }
            }
        }
        self.manifest = manifest
        rulesFiles = rules
        factsFiles = try Self.bind(facts, to: rules)
        var warnings: [LoadWarning] = []
        signingKeys = SigningKeyFiles.signing(manifest.configuration, loaded: manifest.publicKeys, &warnings)
        do throws(LoadError) {
            identifierKey = try IdentifierKeyFile.read(manifest.configuration, isDryRun: true)
        } catch {
            identifierKey = nil
            warnings.append(LoadWarning(code: error.code, message: error.description))
        }
        self.warnings = warnings
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

    /// Returns the key that signs for an app; nil when the app has no key, or this process does without it.
    public func signingKey(appAppleId: Int64) -> SigningKey? { signingKeys[appAppleId] }

    /// How many apps were loaded with a key that this process does without.
    public var missingKeyCount: Int { manifest.publicKeys.count - signingKeys.count }

    /// Has the kernel read the facts ahead, so that no request waits for the disk.
    public func readFactsAhead() {
        for facts in factsFiles.values { facts.file.readAhead() }
    }
}

/// A facts file, with the columns that the rules of its app ask for.
public struct BoundFacts: Sendable {
    /// The file of facts about subscribers.
    public let file: FactsFile
    /// The column of each fact that the rules declare.
    public let binding: FactsBinding
}
