package import Configuration
package import Cryptography
package import Facts
package import Rules
package import System

/// One immutable set of configuration, anchors and data files, in files that nobody but the pool can write. A worker serves
/// the same generation from its start to its end.
package final class Generation: Sendable {
    package let manifest: Manifest
    /// The key of the decision records; nil when the generation writes no records, or its file cannot be used.
    package let identifierKey: IdentifierKey?
    /// The keys that this process has to do without, although they were loaded.
    package let warnings: [LoadWarning]
    private let rulesFiles: [Role: RulesFile]
    private let factsFiles: [Role: BoundFacts]
    private let signingKeys: [Int64: SigningKey]

    private struct Role: Hashable {
        let appAppleId: Int64
        let environment: Environment
    }

    package var sequence: Int { manifest.sequence }
    package var configuration: Configuration { manifest.configuration }

    /// Opens the generation in a directory that a loader has written.
    package convenience init(directory: String) throws(LoadError) {
        let manifest = try Manifest.read(in: directory)
        try self.init(manifest) { file throws(SystemCallError) in
            try MappedMemory(of: FileDescriptor.openForReading(path: "\(directory)/\(file.mappedName)"))
        }
    }

    /// Opens what a process without a supervisor serves: the pool's current generation, when it was made with the present
    /// configuration, anchors and keys, else the pushed files. Writes nothing: its rules are compiled into memory of this process.
    package convenience init(loadingConfigurationAt path: String) throws(LoadError) {
        // Set before the first key is read. A supervisor sets the same limit for its workers.
        try SystemCallError.mapped(to: LoadError.system, try ResourceLimits.set(.core, to: 0))
        if let unchanged = try? Self.load(.unchanged, configurationAt: path) {
            try self.init(unchanged)
        } else {
            try self.init(Self.load(.pushed, configurationAt: path))
        }
    }

    /// Opens the pool's current generation as it stands, for a pool that cannot write. Its rules are compiled into memory of this
    /// process, because another build may have written the form in the directory.
    ///
    /// - Throws: `no-last-good` when configuration, anchors or keys are not those that it was made with.
    package convenience init(currentForConfigurationAt path: String) throws(LoadError) {
        try self.init(Self.load(.unchanged, configurationAt: path))
    }

    private static func load(_ source: LoadSource, configurationAt path: String) throws(LoadError)
        -> Loader.Result
    {
        let store = GenerationStore(try Loader.readConfiguration(path: path))
        let last = source == .pushed ? nil : StoredGeneration(store.current, in: store)
        return try Loader(configurationPath: path, sequence: last?.manifest.sequence ?? 1, source: source)
            .load(last: last, skipsUnusableKeys: true) { .memory }
    }

    private convenience init(_ result: Loader.Result) throws(LoadError) {
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

    package func rules(appAppleId: Int64, environment: Environment) -> RulesFile? {
        rulesFiles[Role(appAppleId: appAppleId, environment: environment)]
    }

    package func facts(appAppleId: Int64, environment: Environment) -> BoundFacts? {
        factsFiles[Role(appAppleId: appAppleId, environment: environment)]
    }

    package var allRules: [RulesFile] { Array(rulesFiles.values) }

    package var hasRules: Bool { !rulesFiles.isEmpty }

    package func signingKey(appAppleId: Int64) -> SigningKey? { signingKeys[appAppleId] }

    package var missingKeyCount: Int { manifest.publicKeys.count - signingKeys.count }

    /// Has the kernel read the facts ahead, so that no request waits for the disk.
    package func readFactsAhead() {
        for facts in factsFiles.values { facts.file.readAhead() }
    }
}

/// A facts file, with the columns that the rules of its app ask for.
package struct BoundFacts: Sendable {
    package let file: FactsFile
    package let binding: FactsBinding
}
