package import Configuration
internal import Cryptography
internal import Facts
internal import System

/// One load, in a short-lived process of its own, so that the harm a hostile file can do ends with the process.
///
///     let loader = Loader(configurationPath: path, sequence: 1, source: .pushed)
///     let exitStatus = loader.run(serving: nil)
package struct Loader {
    let configurationPath: String
    let sequence: Int
    let source: LoadSource

    package init(configurationPath: String, sequence: Int, source: LoadSource) {
        self.configurationPath = configurationPath
        self.sequence = sequence
        self.source = source
    }

    package struct Result {
        let manifest: Manifest
        let files: [CheckedFile]
        let warnings: [LoadWarning]
    }

    package static func readConfiguration(path: String) throws(LoadError) -> Configuration {
        let bytes = try SystemCallError.mapped(
            to: { LoadError.configurationUnreadable(path: path, $0) },
            try FileDescriptor.openForReading(path: path)
                .readAll(limitBytes: LoaderLimits.configurationByteCount)
        )
        return try ConfigurationError.mapped(
            to: { LoadError.configuration(path: path, $0) },
            try Configuration(parsing: bytes)
        )
    }

    /// Loads, and says the result or the refusal on standard output. This is all that the loader process does.
    ///
    /// - Parameter serving: the number of the generation that serves; nil at a start.
    /// - Returns: the exit status: 0 loaded, 1 refused.
    package func run(serving: Int?) -> Int32 {
        let reply: LoaderReply
        let status: Int32
        do throws(LoadError) {
            let configuration = try Self.readConfiguration(path: configurationPath)
            // The loader maps one file at a time, and holds the bytes of rules twice.
            try? ResourceLimits.set(
                .addressSpace,
                to: UInt64(configuration.limits.factsBytes) + LoaderLimits.addressSpaceByteCount
            )
            reply = try loadedOrCurrent(GenerationStore(configuration), serving: serving)
            status = 0
        } catch {
            reply = .refused(code: error.code, message: error.description)
            status = 1
        }
        try? FileDescriptor(takingOwnership: 1).write((reply.bytes + [UInt8(ascii: "\n")]).span)
        return status
    }

    /// Loads into a new directory. On a full or read-only disk a start serves the current generation as it stands.
    private func loadedOrCurrent(_ store: GenerationStore, serving: Int?) throws(LoadError) -> LoaderReply {
        do throws(LoadError) {
            return LoaderReply(try load(into: store, serving: serving))
        } catch {
            guard case .copyNotMade = error, source == .unchanged else { throw error }
            let last = StoredGeneration(store.current, in: store)
            let warning = LoadWarning(code: error.code, message: error.description)
            return LoaderReply(try load(last: last) { .memory }, isUnwritten: true, warnings: [warning])
        }
    }

    /// Loads into a new directory of a store.
    package func load(into store: GenerationStore, serving: Int?) throws(LoadError) -> Result {
        let last = StoredGeneration(serving, in: store) ?? StoredGeneration(store.current, in: store)
        let unwritten = { (error: SystemCallError) in
            LoadError.copyNotMade(
                name: "generation \(sequence)", directory: store.path(of: sequence), error)
        }
        var writer: GenerationWriter?
        do throws(LoadError) {
            let result = try load(last: last, isReload: serving != nil) { () throws(LoadError) in
                let begun = try SystemCallError.mapped(
                    to: unwritten, try store.begin(sequence, serving: serving))
                writer = begun
                return .directory(begun)
            }
            let manifest = result.manifest
            try SystemCallError.mapped(
                to: unwritten,
                try { () throws(SystemCallError) in
                    let configuration = manifest.configuration.effectiveJSON(hidingSecrets: false)
                    _ = try writer?.write(configuration.span, as: Manifest.configurationName)
                    _ = try writer?.write(manifest.bytes.span, as: Manifest.name)
                    try writer?.commit()
                }())
            return result
        } catch {
            writer?.discard()
            throw error
        }
    }

    /// Loads and checks everything, and stores copies of the data files.
    ///
    /// `isReload` is true when `last` serves now: some settings must be as they are there.
    /// `isDryRun` is true for a check, which makes no key.
    /// `skipsUnusableKeys` is true for a process without an older generation: the load goes on without a signing key that
    /// cannot be used.
    func load(
        last: StoredGeneration?, isReload: Bool = false, isDryRun: Bool = false,
        skipsUnusableKeys: Bool = false, into destination: () throws(LoadError) -> LoadDestination
    ) throws(LoadError) -> Result {
        var warnings: [LoadWarning] = []
        let settings = try readSettings(
            skipsUnusableKeys: source == .lastGood || skipsUnusableKeys, &warnings)
        let configuration = settings.configuration
        if isReload, let running = last?.manifest.configuration {
            let keys = configuration.restartKeys(changedFrom: running)
            guard keys.isEmpty else { throw .needsRestart(keys: keys) }
        }
        if source == .unchanged {
            guard settings.digest == last?.manifest.settings else { throw .noLastGood }
        }
        _ = try IdentifierKeyFile.read(configuration, isDryRun: isDryRun)
        try Self.checkLogs(configuration, isReload: isReload)
        let now = Clock.wallMilliseconds()
        let directory = DataDirectory(
            configuration: configuration, last: last, destination: try destination())
        let files = try source == .pushed ? directory.pushedFiles() : directory.lastGoodFiles()
        if source == .pushed {
            try GenerationRules.check(
                files.map(\.file), configuration, lastGood: last?.manifest.files ?? [], wallMilliseconds: now)
        }
        warnings += try FactsFit.check(files)
        warnings += SigningFit.warnings(files, configuration)
        if !files.contains(where: { $0.file.kind == .rules }) {
            let message = "no rules in \(configuration.dataDirectory): every answer is 503 rules-missing"
            warnings.append(LoadWarning(code: "no-rules", message: message))
        }
        let manifest = Manifest(
            sequence: sequence, source: source, loadedAtMilliseconds: now, loaded: settings,
            files: files.map(\.file))
        return Result(manifest: manifest, files: files, warnings: warnings)
    }

    private func readSettings(skipsUnusableKeys: Bool, _ warnings: inout [LoadWarning]) throws(LoadError)
        -> LoadedSettings
    {
        let configuration = try Self.readConfiguration(path: configurationPath)
        return LoadedSettings(
            configuration: configuration,
            anchors: try AnchorFiles.read(configuration, at: configurationPath, &warnings),
            publicKeys: try SigningKeyFiles.read(configuration, skipsUnusable: skipsUnusableKeys, &warnings))
    }

    /// Refuses a load whose log lines, and a start whose decision records, nobody could write. A FIFO for records that has no reader
    /// yet is not refused. A reload leaves the decision log alone: its disk may hang.
    private static func checkLogs(_ configuration: Configuration, isReload: Bool) throws(LoadError) {
        if let path = configuration.errorLog {
            try SystemCallError.mapped(
                to: { LoadError.errorLogUnwritable(path: path, $0) },
                try LineOutput.check(appendingTo: path)
            )
        }
        guard !isReload, let path = configuration.log.decisions else { return }
        do throws(SystemCallError) {
            try LineOutput.check(appendingTo: path)
        } catch {
            guard error.reason == .enxio else { throw .decisionsUnwritable(path: path, error) }
        }
    }

    /// Does everything that a load does, for `-t`, and returns only the manifest and the warnings.
    package static func check(
        configurationPath: String
    ) throws(LoadError) -> (manifest: Manifest, warnings: [LoadWarning]) {
        let store = GenerationStore(try readConfiguration(path: configurationPath))
        let result = try Loader(configurationPath: configurationPath, sequence: 0, source: .pushed)
            .load(last: StoredGeneration(store.current, in: store), isDryRun: true) { .memory }
        return (result.manifest, result.warnings)
    }
}
