package import Configuration
internal import Cryptography
internal import Facts
internal import JSON
internal import Rules
internal import System

/// One load, in a short-lived process of its own, so that the harm a hostile file can do ends with the process.
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
        let warnings: [ServiceError]
    }

    package static func readConfiguration(path: String) throws(ServiceError) -> Configuration {
        let bytes = try SystemCallError.about(
            path, code: "configuration-unreadable",
            try FileDescriptor.openForReading(path: path).readAll(
                limitBytes: LoaderLimits.configurationByteCount))
        return try ConfigurationError.mapped(
            to: { ServiceError(code: $0.code, $0.description(ofFile: path)) },
            try Configuration(parsing: bytes)
        )
    }

    /// Loads, and says the result or the refusal on standard output. This is all that the loader process does. `serving` is the number
    /// of the generation that serves; nil at a start. Returns the exit status: 0 loaded, 1 refused.
    package func run(serving: Int?) -> Int32 {
        let reply: LoaderReply
        let status: Int32
        do throws(ServiceError) {
            let configuration = try Self.readConfiguration(path: configurationPath)
            // The loader maps one file of facts at a time, twice while its digest is compared, and holds the bytes of rules twice.
            try? ResourceLimits.set(
                .addressSpace,
                to: 2 * UInt64(configuration.limits.factsBytes) + LoaderLimits.addressSpaceByteCount
            )
            reply = try loadedOrCurrent(GenerationStore(configuration), serving: serving)
            status = 0
        } catch {
            reply = .refused(error)
            status = 1
        }
        try? FileDescriptor(takingOwnership: 1).write((reply.bytes + [UInt8(ascii: "\n")]).span)
        return status
    }

    /// Loads into a new directory. On a full or read-only disk a start serves the current generation as it stands.
    private func loadedOrCurrent(_ store: GenerationStore, serving: Int?) throws(ServiceError) -> LoaderReply
    {
        do throws(ServiceError) {
            return LoaderReply(try load(into: store, serving: serving))
        } catch {
            guard error.code == "copy-not-made", source == .unchanged else { throw error }
            let last = StoredGeneration(store.current, in: store)
            return LoaderReply(try load(last: last) { .memory }, isUnwritten: true, warnings: [error])
        }
    }

    package func load(into store: GenerationStore, serving: Int?) throws(ServiceError) -> Result {
        let last = StoredGeneration(serving, in: store) ?? StoredGeneration(store.current, in: store)
        let unwritten = { (error: SystemCallError) in
            ServiceError.copyNotMade("generation \(sequence)", in: store.path(of: sequence), error)
        }
        var writer: GenerationWriter?
        do throws(ServiceError) {
            let result = try load(last: last, isReload: serving != nil) { () throws(ServiceError) in
                let begun = try SystemCallError.mapped(
                    to: unwritten, try store.begin(sequence, serving: serving))
                writer = begun
                return .directory(begun)
            }
            let configuration = result.manifest.configuration.effectiveJSON(hidingSecrets: false)
            do throws(SystemCallError) {
                _ = try writer?.write(configuration.span, as: Manifest.configurationName)
                _ = try writer?.write(result.manifest.bytes.span, as: Manifest.name)
                try writer?.commit()
            } catch {
                throw unwritten(error)
            }
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
        skipsUnusableKeys: Bool = false, into destination: () throws(ServiceError) -> LoadDestination
    ) throws(ServiceError) -> Result {
        var warnings: [ServiceError] = []
        let settings = try readSettings(
            skipsUnusableKeys: source == .lastGood || skipsUnusableKeys, &warnings)
        let configuration = settings.configuration
        if isReload, let running = last?.manifest.configuration {
            let keys = configuration.restartKeys(changedFrom: running)
            guard keys.isEmpty else { throw .needsRestart(keys) }
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
            try Self.checkPlaces(
                of: files.map(\.file), configuration, lastGood: last?.manifest.files ?? [],
                wallMilliseconds: now)
        }
        warnings += try Self.checkFacts(of: files)
        warnings += Self.signingWarnings(files, configuration)
        if !files.contains(where: { $0.file.kind == .rules }) {
            let message = "no rules in \(configuration.dataDirectory): every answer is 503 rules-missing"
            warnings.append(ServiceError(code: "no-rules", message))
        }
        let manifest = Manifest(
            sequence: sequence, source: source, loadedAtMilliseconds: now, loaded: settings,
            files: files.map(\.file))
        return Result(manifest: manifest, files: files, warnings: warnings)
    }

    private func readSettings(skipsUnusableKeys: Bool, _ warnings: inout [ServiceError]) throws(ServiceError)
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
    private static func checkLogs(_ configuration: Configuration, isReload: Bool) throws(ServiceError) {
        if let path = configuration.log.errorLog {
            try SystemCallError.about(
                path, code: "error-log-unwritable", try LineOutput.check(appendingTo: path))
        }
        guard !isReload, let path = configuration.log.decisions else { return }
        do throws(SystemCallError) {
            try LineOutput.check(appendingTo: path)
        } catch {
            guard error.reason != .enxio else { return }
            throw ServiceError(code: "decisions-unwritable", "\(path): \(error)")
        }
    }

    /// Does everything that a load does, for `-t`, and returns only the manifest and the warnings.
    package static func check(
        configurationPath: String
    ) throws(ServiceError) -> (manifest: Manifest, warnings: [ServiceError]) {
        let store = GenerationStore(try readConfiguration(path: configurationPath))
        let result = try Loader(configurationPath: configurationPath, sequence: 0, source: .pushed)
            .load(last: StoredGeneration(store.current, in: store), isDryRun: true) { .memory }
        return (result.manifest, result.warnings)
    }
}

package enum LoaderReply: Sendable {
    case loaded(Loaded)
    case refused(ServiceError)

    package struct Loaded: Sendable {
        package let workerCount: Int
        package let drainMilliseconds: Int64
        package let logLevel: LogLevel
        package let logFormat: LogFormat
        package let errorLog: String?
        package let fileCount: Int
        /// True when no directory could be written: the workers serve the current one.
        package let isUnwritten: Bool
        package let warnings: [ServiceError]
    }

    init(_ result: Loader.Result, isUnwritten: Bool = false, warnings: [ServiceError] = []) {
        let settings = result.manifest.configuration
        self = .loaded(
            Loaded(
                workerCount: settings.workers == 0 ? ProcessorCount.usable : settings.workers,
                drainMilliseconds: Int64(settings.drainMilliseconds), logLevel: settings.log.level,
                logFormat: settings.log.format, errorLog: settings.log.errorLog,
                fileCount: result.files.count,
                isUnwritten: isUnwritten, warnings: result.warnings + warnings))
    }

    var bytes: [UInt8] {
        switch self {
        case .refused(let error): return Self.node(error).serialized()
        case .loaded(let loaded):
            return JSONNode.object([
                ("workers", .integer(Int64(loaded.workerCount))),
                ("drainMilliseconds", .integer(loaded.drainMilliseconds)),
                ("logLevel", .string(loaded.logLevel.rawValue)),
                ("logFormat", .string(loaded.logFormat.rawValue)),
                ("errorLog", loaded.errorLog.map { .string($0) } ?? .null),
                ("files", .integer(Int64(loaded.fileCount))),
                ("unwritten", .boolean(loaded.isUnwritten)),
                ("warnings", .array(loaded.warnings.map(Self.node))),
            ]).serialized()
        }
    }

    private static func node(_ error: ServiceError) -> JSONNode {
        .object([
            ("code", .string(error.code)), ("message", .string(String(error.description.prefix(4096)))),
        ])
    }

    private static func error(_ value: JSONValue) -> ServiceError? {
        guard let code = value.member("code")?.string, let message = value.member("message")?.string else {
            return nil
        }
        return ServiceError(code: code, message)
    }

    /// Decodes the line; a line that no loader writes is a refusal.
    package init(_ line: Span<UInt8>) {
        let limits = JSONLimits(byteCount: LoaderLimits.replyByteCount, depth: 4)
        let root = (try? JSONDocument(parsing: line, limits: limits))?.root
        if let error = root.flatMap(Self.error) {
            self = .refused(error)
        } else if let loaded = root.flatMap(Self.loaded) {
            self = .loaded(loaded)
        } else {
            self = .refused(ServiceError(code: "load-crashed", "the loader's reply cannot be read"))
        }
    }

    private static func loaded(_ root: JSONValue) -> Loaded? {
        guard let workers = root.member("workers")?.int64, (1...4096).contains(workers),
            let drain = root.member("drainMilliseconds")?.int64,
            (0...LoaderLimits.drainMilliseconds).contains(drain),
            let level = root.member("logLevel")?.string.flatMap(LogLevel.init(rawValue:)),
            let format = root.member("logFormat")?.string.flatMap(LogFormat.init(rawValue:)),
            let fileCount = root.member("files")?.int64,
            let isUnwritten = root.member("unwritten")?.boolean, let warnings = root.member("warnings")
        else { return nil }
        return Loaded(
            workerCount: Int(workers), drainMilliseconds: drain, logLevel: level,
            logFormat: format, errorLog: root.member("errorLog")?.string, fileCount: Int(fileCount),
            isUnwritten: isUnwritten, warnings: warnings.elements.compactMap(Self.error))
    }
}

/// Reads the standard output of a loader.
final class LoaderReplyReader {
    let output: FileDescriptor
    /// The number that the loader's generation will get.
    let sequence: Int
    private var bytes: [UInt8] = []

    init(_ output: consuming FileDescriptor, sequence: Int) throws(SystemCallError) {
        try output.setNonBlocking(true)
        self.output = output
        self.sequence = sequence
    }

    /// Reads what has come. Returns nil while the line is not whole, also when the loader has ended without one.
    func read() -> LoaderReply? {
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= LoaderLimits.replyByteCount, let count = try? output.read(into: &block),
            count > 0
        {
            bytes += block[..<count]
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = bytes[..<end]
        return LoaderReply(line.span)
    }
}

package enum LoadSource: String, Sendable, Hashable {
    /// The generation `current` in `stateDirectory`, when configuration, anchors and public keys are those it was made with.
    /// A start serves it at once, and then loads what is pushed.
    case unchanged
    /// `dataDirectory`, where files are pushed to.
    case pushed
    /// The generation `current` under the present configuration, because the pushed files were refused at the start.
    case lastGood = "last-good"
}

extension Loader {
    /// Checks the files of a generation against each other, against the configuration and against the last good generation:
    /// rules that were served must not disappear. Any valid file may take the place of another, an older one too.
    private static func checkPlaces(
        of files: [ManifestFile], _ configuration: Configuration, lastGood: [ManifestFile],
        wallMilliseconds: Int64
    ) throws(ServiceError) {
        for (index, file) in files.enumerated() {
            let (name, app) = (file.name, file.appAppleId)
            if let other = files[..<index].first(where: { $0.hasSameRole(as: file) }) {
                throw ServiceError(
                    code: "duplicate-file", "\(other.name) and \(name) are for the same app and environment")
            }
            guard configuration.apps.contains(where: { $0.appAppleId == app }) else {
                throw ServiceError(code: "app-not-configured", "\(name): app \(app) is not configured")
            }
            guard configuration.answers(app, file.environment) else {
                throw ServiceError(
                    code: "environment-not-configured",
                    "\(name): \(file.environment.rawValue) is not configured for app \(app)")
            }
            if let built = file.builtAtMilliseconds,
                built - LoaderLimits.futureMilliseconds > wallMilliseconds
            {
                throw ServiceError(
                    code: "built-in-future",
                    "\(name): built at \(built) ms since 1970, more than a day from now")
            }
        }
        for last in lastGood where !files.contains(where: { $0.hasSameRole(as: last) }) {
            if last.kind == .rules, configuration.answers(last.appAppleId, last.environment) {
                throw ServiceError(
                    code: "rules-file-missing",
                    "no rules any more for app \(last.appAppleId) in \(last.environment.rawValue), "
                        + "last in \(last.name)")
            }
        }
    }

    /// Checks that each facts file has the facts that the rules of its app and environment declare. Returns a warning
    /// for each rules file that asks for facts and has no facts file.
    private static func checkFacts(of files: [CheckedFile]) throws(ServiceError) -> [ServiceError] {
        var warnings: [ServiceError] = []
        for rules in files {
            guard case .rules(let read, _) = rules.contents else { continue }
            let facts = files.first { other in
                other.file.kind == .facts && other.file.appAppleId == rules.file.appAppleId
                    && other.file.environment == rules.file.environment
            }
            guard let facts, case .facts(let columns, let offset) = facts.contents else {
                guard !read.isEmpty else { continue }
                let place = "app \(rules.file.appAppleId) in \(rules.file.environment.rawValue)"
                warnings.append(
                    ServiceError(
                        code: "facts-file-missing",
                        "no facts for \(place), which \(rules.file.name) asks for: no subscriber is found"))
                continue
            }
            _ = try DataFileError.about(
                "\(facts.file.name): does not fit \(rules.file.name)",
                try FactsBinding(declared: read, columns: columns, columnsOffset: offset))
        }
        return warnings
    }

    /// Returns warnings about rules that are passed over because the service cannot sign for them. This is never a
    /// refusal, since the other rules serve.
    private static func signingWarnings(_ files: [CheckedFile], _ configuration: Configuration)
        -> [ServiceError]
    {
        files.compactMap { file in
            guard case .rules(_, let signing) = file.contents, !signing.isEmpty,
                let app = configuration.apps.first(where: { $0.appAppleId == file.file.appAppleId })
            else { return nil }
            let name = file.file.name
            if app.signingKey == nil {
                return ServiceError(
                    code: "signing-key-missing",
                    "\(name): rules that need a signature of app \(app.appAppleId) are passed over: "
                        + "the app has no \"signingKeys\"")
            }
            guard signing.contains(.advancedCommerce), !app.signsAdvancedCommerce else { return nil }
            return ServiceError(
                code: "advanced-commerce-off",
                "\(name): rules with Advanced Commerce requests are passed over: "
                    + "\"advancedCommerce\" is \"off\"")
        }
    }
}

package enum LoaderLimits {
    /// The largest `retentiond.json` in bytes; usual ones are kilobytes.
    package static let configurationByteCount = 4 << 20
    /// The largest PEM file of anchors in bytes; usual ones are kilobytes.
    package static let anchorByteCount = 1 << 20
    package static let fileCount = 256
    /// The largest number of names in `dataDirectory`, whatever they name.
    package static let nameCount = 4096
    /// The largest manifest in bytes: the configuration, its anchors and a line for each file.
    package static let manifestByteCount = 16 << 20
    /// The largest reply of a loader in bytes.
    package static let replyByteCount = 1 << 20
    /// The longest drain time in a loader's reply, in milliseconds. A configuration cannot ask for more, so a longer
    /// time does not come from our loader.
    static let drainMilliseconds: Int64 = 3_600_000
    /// Seconds of processor time after which the kernel ends a loader.
    package static let processorSeconds: UInt64 = 60
    /// The address space of a loader in bytes, in addition to the largest file: for libraries, the configuration and
    /// work.
    package static let addressSpaceByteCount: UInt64 = 1 << 30
    /// How far in the future a file may say it was built, in milliseconds: clocks differ, but not by more than a day.
    package static let futureMilliseconds: Int64 = 86_400_000
    package static let controlDescriptor: Int32 = 3
    package static let countersDescriptor: Int32 = 4
}
