package import Configuration
package import Cryptography
package import Facts
internal import JSON
package import Rules
package import System

/// One immutable set of configuration, anchors and data files, in files that nobody but the pool can write. A worker serves
/// the same generation from its start to its end.
package final class Generation: Sendable {
    package let manifest: Manifest
    /// The key of the decision records; nil when the generation writes no records, or its file cannot be used.
    package let identifierKey: IdentifierKey?
    /// The keys that this process has to do without, although they were loaded.
    package let warnings: [ServiceError]
    private let rulesFiles: [Role: RulesFile]
    private let factsFiles: [Role: BoundFacts]
    private let signingKeys: [Int64: SigningKey]

    private struct Role: Hashable {
        let appAppleId: Int64
        let environment: Environment
    }

    package var sequence: Int { manifest.sequence }
    package var configuration: Configuration { manifest.configuration }

    package convenience init(directory: String) throws(ServiceError) {
        let manifest = try Manifest.read(in: directory)
        try self.init(manifest) { file throws(SystemCallError) in
            try MappedMemory(of: FileDescriptor.openForReading(path: "\(directory)/\(file.mappedName)"))
        }
    }

    /// Opens what a process without a supervisor serves: the pool's current generation, when it was made with the present
    /// configuration, anchors and keys, else the pushed files. Writes nothing: its rules are compiled into memory of this process.
    package convenience init(loadingConfigurationAt path: String) throws(ServiceError) {
        // Set before the first key is read. A supervisor sets the same limit for its workers.
        try SystemCallError.about("limits", code: "load-system", try ResourceLimits.set(.core, to: 0))
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
    package convenience init(currentForConfigurationAt path: String) throws(ServiceError) {
        try self.init(Self.load(.unchanged, configurationAt: path))
    }

    private static func load(_ source: LoadSource, configurationAt path: String) throws(ServiceError)
        -> Loader.Result
    {
        let store = GenerationStore(try Loader.readConfiguration(path: path))
        let last = source == .pushed ? nil : StoredGeneration(store.current, in: store)
        return try Loader(configurationPath: path, sequence: last?.manifest.sequence ?? 1, source: source)
            .load(last: last, skipsUnusableKeys: true) { .memory }
    }

    private convenience init(_ result: Loader.Result) throws(ServiceError) {
        let files = Dictionary(uniqueKeysWithValues: result.files.map { ($0.file.name, $0.mapped) })
        try self.init(result.manifest) { file throws(SystemCallError) in
            guard let mapped = files[file.name] else { throw .fileEmpty }
            return try MappedMemory(of: mapped.descriptor)
        }
    }

    static func map(_ file: OpenFile) throws(ServiceError) -> MappedMemory {
        try SystemCallError.about("a data file", code: "load-system", try MappedMemory(of: file.descriptor))
    }

    private init(_ manifest: Manifest, map: (ManifestFile) throws(SystemCallError) -> MappedMemory)
        throws(ServiceError)
    {
        var rules: [Role: RulesFile] = [:]
        var facts: [Role: FactsFile] = [:]
        for file in manifest.files {
            let mapped = try SystemCallError.about(file.name, code: "load-system", try map(file))
            let role = Role(appAppleId: file.appAppleId, environment: file.environment)
            // The load has checked these very bytes in this boot.
            try DataFileError.mapped(
                to: { ServiceError(code: $0.code, "\(file.name): \($0)") }, giving: mapped
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
        var warnings: [ServiceError] = []
        signingKeys = SigningKeyFiles.signing(manifest.configuration, loaded: manifest.publicKeys, &warnings)
        do throws(ServiceError) {
            identifierKey = try IdentifierKeyFile.read(manifest.configuration, isDryRun: true)
        } catch {
            identifierKey = nil
            warnings.append(error)
        }
        self.warnings = warnings
    }

    private static func bind(_ facts: [Role: FactsFile], to rules: [Role: RulesFile]) throws(ServiceError)
        -> [Role: BoundFacts]
    {
        var bound: [Role: BoundFacts] = [:]
        for (role, file) in facts {
            guard let rules = rules[role] else { continue }
            let binding = try DataFileError.about(
                "facts of app \(role.appAppleId)", try FactsBinding(rules: rules, facts: file))
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

package struct BoundFacts: Sendable {
    package let file: FactsFile
    package let binding: FactsBinding
}

/// The generations in `stateDirectory`: a directory `generations/N` for each, and the link `current` to the one that serves.
///
/// A directory is written under a hidden name, synchronised and renamed, and the link is replaced by a rename: so neither a kill
/// nor a power cut leaves half of anything that is used.
package struct GenerationStore {
    private let stateDirectory: String
    let layer: any DirectoryLayer

    package init(_ configuration: Configuration) {
        self.init(stateDirectory: configuration.stateDirectory)
    }

    package init(stateDirectory: String, layer: any DirectoryLayer = SystemFileLayer()) {
        self.stateDirectory = stateDirectory
        self.layer = layer
    }

    private var directory: String { "\(stateDirectory)/generations" }

    package func path(of number: Int) -> String { "\(directory)/\(number)" }

    /// The number of the generation that every worker served last; nil when there is none.
    package var current: Int? {
        let words = Directory.linkTarget(path: "\(stateDirectory)/current")?.split(separator: "/") ?? []
        return words.count == 2 && words[0] == "generations" ? Int(words[1]) : nil
    }

    package var lastNumber: Int { names.compactMap { Int($0) }.max() ?? 0 }

    private var names: [String] {
        guard let opened = try? FileDescriptor.openDirectory(path: directory) else { return [] }
        return (try? Directory.names(in: opened, limitCount: LoaderLimits.nameCount)) ?? []
    }

    package func makeCurrent(_ number: Int) throws(SystemCallError) {
        let link = "\(stateDirectory)/.current"
        layer.remove(link)
        try layer.symbolicLink(to: "generations/\(number)", at: link)
        try layer.rename(link, to: "\(stateDirectory)/current")
        try layer.synchronizeDirectory(stateDirectory)
    }

    /// Begins the directory of a new generation, and removes those that are not needed any more. `serving` is the generation that
    /// serves, which usually is ``current``. It stays, and so does the one before it.
    func begin(_ number: Int, serving: Int?) throws(SystemCallError) -> GenerationWriter {
        if (try? FileStatus(path: directory)) == nil {
            try layer.makeDirectory(directory)
            try layer.synchronizeDirectory(stateDirectory)
        }
        let needed = [serving, current].compactMap { $0 }
        let before = names.compactMap { Int($0) }.filter { $0 < needed.max() ?? 0 && !needed.contains($0) }
        let kept = Set(needed + [before.max()].compactMap { $0 })
        for name in names where !(Int(name).map { kept.contains($0) } ?? false) {
            layer.removeTree("\(directory)/\(name)")
        }
        let hidden = "\(directory)/.new-\(number)"
        try layer.makeDirectory(hidden)
        return GenerationWriter(layer: layer, hidden: hidden, path: path(of: number), parent: directory)
    }
}

struct GenerationWriter {
    let layer: any DirectoryLayer
    let hidden: String
    let path: String
    let parent: String

    /// Makes a file that only the pool can read and nobody is to write any more.
    func create(_ name: String) throws(SystemCallError) -> OpenFile {
        try layer.create("\(hidden)/\(name)", permissions: 0o400)
    }

    func write(_ bytes: Span<UInt8>, as name: String) throws(SystemCallError) -> OpenFile {
        let file = try create(name)
        try layer.write(bytes, to: file)
        try layer.synchronize(file)
        return file
    }

    /// Gives a file of another generation a name in this one. Its bytes are on the disk already.
    func link(_ other: String, as name: String) throws(SystemCallError) -> OpenFile {
        let place = "\(hidden)/\(name)"
        try layer.link(other, to: place)
        return OpenFile(try FileDescriptor.openForReading(path: place))
    }

    func remove(_ name: String) { layer.remove("\(hidden)/\(name)") }

    /// Puts the directory in its place, once the disk has all of it.
    func commit() throws(SystemCallError) {
        try layer.synchronizeDirectory(hidden)
        try layer.rename(hidden, to: path)
        try layer.synchronizeDirectory(parent)
    }

    func discard() { layer.removeTree(hidden) }
}

extension DirectoryLayer {
    /// Removes a directory of files, or a file; ignores failures.
    fileprivate func removeTree(_ path: String) {
        if let opened = try? FileDescriptor.openDirectory(path: path) {
            let names = (try? Directory.names(in: opened, limitCount: LoaderLimits.nameCount)) ?? []
            for name in names { remove("\(path)/\(name)") }
        }
        remove(path)
        removeDirectory(path)
    }
}

/// A generation as it lies in its directory: what a load compares with, and what a command beside the pool shows.
struct StoredGeneration {
    let path: String
    let manifest: Manifest

    init?(_ number: Int?, in store: GenerationStore) {
        guard let number, let manifest = try? Manifest.read(in: store.path(of: number)) else { return nil }
        path = store.path(of: number)
        self.manifest = manifest
    }

    /// Returns an entry for each file. With `withRules` the entry of a rules file has the member `content`: its bytes in base64,
    /// or null when they cannot be read any more.
    func nodes(withRules: Bool) -> [JSONNode] {
        manifest.files.map { file in
            guard withRules, file.kind == .rules else { return file.node() }
            let opened = try? FileDescriptor.openForReading(path: "\(path)/\(file.name)")
            var content: [UInt8]?
            if let opened { content = try? opened.readAll(limitBytes: RulesSourceLimits.sourceByteCount) }
            let text = content.map { String(decoding: Base64.encode($0.span), as: UTF8.self) }
            return file.node(extra: [("content", text.map { .string($0) } ?? .null)])
        }
    }
}
