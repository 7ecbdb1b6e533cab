public import Configuration
internal import DataFiles
public import System
internal import Vocabulary

/// One load, in a short-lived process of its own, so that the harm a hostile file can do ends with the process.
///
///     let loader = Loader(configurationPath: path, sequence: 1, source: .pushed)
///     let exitStatus = loader.run(over: socket, hasPresent: false)
public struct Loader {
    let configurationPath: String
    let sequence: Int
    let source: LoadSource

    /// Creates a load of the configuration at this path. `sequence` is the number of the load.
    public init(configurationPath: String, sequence: Int, source: LoadSource) {
        self.configurationPath = configurationPath
        self.sequence = sequence
        self.source = source
    }

    /// The result of one load, in this process.
    struct Result {
        let manifest: Manifest
        /// The signing keys in sealed memory, see ``SigningKeyMemory``.
        let keys: DescriptorList
        let files: [CheckedFile]
        let warnings: [LoadWarning]
    }

    /// Reads and parses a configuration file.
    public static func readConfiguration(path: String) throws(LoadError) -> Configuration {
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

    /// Loads, and sends the result or the refusal over `socket`. This is all that the loader process does.
    ///
    /// `hasPresent` says whether the supervisor placed its present generation from descriptor 4 on.
    ///
    /// - Returns: the exit status: 0 loaded, 1 refused, 74 when the supervisor could not be told.
    public func run(over socket: borrowing DescriptorSocket, hasPresent: Bool) -> Int32 {
        do throws(LoadError) {
            let present = hasPresent ? try Self.present() : nil
            let result = try load(present: present, isLimited: true)
            return try send(result, over: socket) ? 0 : 74
        } catch {
            let reply = LoaderReply.refused(code: error.code, message: error.description)
            let isSent = (try? socket.send(reply.bytes.span, waiting: true)) != nil
            return isSent ? 1 : 74
        }
    }

    /// Takes over the generation that the supervisor placed.
    static func present() throws(LoadError) -> PresentGeneration {
        try PresentGeneration(
            manifest: FileDescriptor(takingOwnership: LoaderLimits.manifestDescriptor),
            keys: DescriptorList(takingOwnership: [LoaderLimits.keysDescriptor]),
            firstFile: LoaderLimits.firstFileDescriptor)
    }

    /// Loads and checks everything. `isLimited` sets a memory limit that stays until the process ends, so only the
    /// loader process passes true. `isDryRun` makes no key.
    /// `skipsUnusableSigningKeys` is for a process without a supervisor that holds an older generation: the load goes on without a
    /// signing key that cannot be used.
    func load(
        present: PresentGeneration?, isLimited: Bool = false, isDryRun: Bool = false,
        skipsUnusableSigningKeys: Bool = false
    ) throws(LoadError) -> Result {
        let configuration = try Self.readConfiguration(path: configurationPath)
        if isLimited {
            // The loader maps one file at a time: the copy. It does not map the file that it copies.
            let largest = max(configuration.limits.rulesBytes, configuration.limits.factsBytes, 0)
            let needed = UInt64(largest) + LoaderLimits.addressSpaceByteCount
            try? ResourceLimits.set(.addressSpace, to: needed)
        }
        if let running = present?.manifest.configuration {
            let keys = configuration.restartKeys(changedFrom: running)
            guard keys.isEmpty else { throw .needsRestart(keys: keys) }
        }
        var warnings: [LoadWarning] = []
        let anchors = try AnchorFiles.read(configuration, at: configurationPath, &warnings)
        let keys = try SigningKeyFiles.read(
            configuration, skipsUnusable: source == .lastGood || skipsUnusableSigningKeys, &warnings)
        let key = try IdentifierKeyFile.read(configuration, isDryRun: isDryRun)
        try Self.checkLogs(configuration, isReload: present != nil)
        let now = Clock.wallMilliseconds()
        let directory = DataDirectory(configuration: configuration, present: present, wallMilliseconds: now)
        let lastGood = LastGood(stateDirectory: configuration.stateDirectory)
        let files: [CheckedFile]
        switch source {
        case .pushed:
            files = try directory.pushedFiles()
            let last = present?.manifest.files ?? lastGood.knownFiles(&warnings)
            try GenerationRules.check(files.map(\.file), configuration, lastGood: last, wallMilliseconds: now)
        case .lastGood:
            files = try stored(lastGood, directory)
        }
        warnings += try FactsFit.check(files)
        warnings += SigningFit.warnings(files, configuration)
        if !files.contains(where: { $0.file.kind == .rules }) {
            let message = "no rules in \(configuration.dataDirectory): every answer is 503 rules-missing"
            warnings.append(LoadWarning(code: "no-rules", message: message))
        }
        let manifest = Manifest(
            sequence: sequence, source: source, loadedAtMilliseconds: now, configuration: configuration,
            anchors: anchors, identifierKey: key, files: files.map(\.file))
        return Result(manifest: manifest, keys: keys, files: files, warnings: warnings)
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

    /// Returns the files of the last good generation that are still configured, under the names they were pushed with.
    private func stored(_ lastGood: LastGood, _ directory: DataDirectory) throws(LoadError) -> [CheckedFile] {
        guard let list = try lastGood.files() else { throw .noLastGood }
        let opened = try SystemCallError.mapped(
            to: { LoadError.fileUnreadable(name: lastGood.directory, $0) },
            try FileDescriptor.openDirectory(path: lastGood.directory)
        )
        var files: [CheckedFile] = []
        for file in list {
            let isConfigured = directory.configuration.apps.contains {
                $0.appAppleId == file.appAppleId && $0.environments.contains(file.environment)
            }
            guard isConfigured else { continue }
            let found = try directory.check(LastGood.storedName(of: file), in: opened)
            guard found.file == file.named(found.file.name) else { throw .lastGoodDamaged(name: file.name) }
            files.append(CheckedFile(file: file, place: found.place, contents: found.contents))
        }
        return files
    }

    /// Sends the manifest, the keys, the new files and the lines for the decision log, then the reply. Returns false
    /// when the supervisor is gone.
    func send(_ result: Result, over socket: borrowing DescriptorSocket) throws(LoadError) -> Bool {
        var sent: [Int32] = []
        var places: [(file: ManifestFile, place: LoaderReply.Loaded.Place)] = []
        do throws(SystemCallError) {
            let manifest = try SealedMemory(copying: result.manifest.bytes.span, name: "manifest")
            sent += [manifest.descriptor.number] + result.keys.numbers
            for checked in result.files {
                switch checked.place {
                case .loaded(let index): places.append((checked.file, .present(index)))
                case .copied(let list):
                    places.append((checked.file, .sent(sent.count)))
                    sent += list.numbers
                }
            }
            var rest = sent[...]
            while !rest.isEmpty {
                let part = rest.prefix(DescriptorSocket.descriptorsPerMessage)
                let bytes = LoaderReply.descriptorsOnly
                try socket.send(bytes.span, descriptors: Array(part), waiting: true)
                rest = rest.dropFirst(part.count)
            }
            let settings = result.manifest.configuration
            let workers = settings.workers == 0 ? ProcessorCount.usable : settings.workers
            let reply = LoaderReply.loaded(
                LoaderReply.Loaded(
                    workerCount: workers, drainMilliseconds: Int64(settings.drainMilliseconds),
                    logLevel: settings.log.level, logFormat: settings.log.format, errorLog: settings.errorLog,
                    files: places, warnings: result.warnings)
            )
            try socket.send(reply.bytes.span, waiting: true)
            return true
        } catch {
            if error.reason == .epipe { return false }
            throw .system(error)
        }
    }

    /// Stores the generation that the supervisor placed as the last good one. This is all that the keeper process does.
    public static func storeLastGood() throws(LoadError) {
        let generation = try present()
        let lastGood = LastGood(stateDirectory: generation.manifest.configuration.stateDirectory)
        try lastGood.store(generation)
    }

    /// Does everything that a load does, for `-t`, and returns only the manifest and the warnings.
    public static func check(
        configurationPath: String
    ) throws(LoadError) -> (manifest: Manifest, warnings: [LoadWarning]) {
        let result = try Loader(configurationPath: configurationPath, sequence: 0, source: .pushed)
            .load(present: nil, isDryRun: true)
        return (result.manifest, result.warnings)
    }
}
