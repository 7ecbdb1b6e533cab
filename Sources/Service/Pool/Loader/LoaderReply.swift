package import Configuration
internal import JSON
package import System

/// The one line that a loader says on its standard output.
package enum LoaderReply: Sendable {
    case loaded(Loaded)
    /// The load was refused, with the code and the sentence of a ``LoadError``.
    case refused(code: String, message: String)

    package struct Loaded: Sendable {
        package let workerCount: Int
        package let drainMilliseconds: Int64
        package let logLevel: LogLevel
        package let logFormat: LogFormat
        package let errorLog: String?
        package let fileCount: Int
        /// True when no directory could be written: the workers serve the current one.
        package let isUnwritten: Bool
        package let warnings: [LoadWarning]
    }

    init(_ result: Loader.Result, isUnwritten: Bool = false, warnings: [LoadWarning] = []) {
        let settings = result.manifest.configuration
        self = .loaded(
            Loaded(
                workerCount: settings.workers == 0 ? ProcessorCount.usable : settings.workers,
                drainMilliseconds: Int64(settings.drainMilliseconds), logLevel: settings.log.level,
                logFormat: settings.log.format, errorLog: settings.errorLog, fileCount: result.files.count,
                isUnwritten: isUnwritten, warnings: result.warnings + warnings))
    }

    var bytes: [UInt8] {
        switch self {
        case .refused(let code, let message):
            return JSONNode.object([
                ("code", .string(code)), ("message", .string(String(message.prefix(4096)))),
            ]).serialized()
        case .loaded(let loaded):
            return JSONNode.object([
                ("workers", .integer(Int64(loaded.workerCount))),
                ("drainMilliseconds", .integer(loaded.drainMilliseconds)),
                ("logLevel", .string(loaded.logLevel.rawValue)),
                ("logFormat", .string(loaded.logFormat.rawValue)),
                ("errorLog", loaded.errorLog.map { .string($0) } ?? .null),
                ("files", .integer(Int64(loaded.fileCount))),
                ("unwritten", .boolean(loaded.isUnwritten)),
                (
                    "warnings",
                    .array(
                        loaded.warnings.map {
                            .object([("code", .string($0.code)), ("message", .string($0.message))])
                        })
                ),
            ]).serialized()
        }
    }

    /// Decodes the line; a line that no loader writes is a refusal.
    package init(_ line: Span<UInt8>) {
        let limits = JSONLimits(byteCount: LoaderLimits.replyByteCount, depth: 4)
        let root = (try? JSONDocument(parsing: line, limits: limits))?.root
        if let code = root?.member("code")?.string, let message = root?.member("message")?.string {
            self = .refused(code: code, message: message)
        } else if let loaded = root.flatMap(Self.loaded) {
            self = .loaded(loaded)
        } else {
            self = .refused(code: "load-crashed", message: "the loader's reply cannot be read")
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
            isUnwritten: isUnwritten,
            warnings: warnings.elements.compactMap { warning in
                guard let code = warning.member("code")?.string,
                    let message = warning.member("message")?.string
                else { return nil }
                return LoadWarning(code: code, message: message)
            })
    }
}

/// The supervisor's end of a loader's standard output.
package struct LoaderReplyReader: ~Copyable {
    private let output: FileDescriptor
    private var bytes: [UInt8] = []

    package init(_ output: consuming FileDescriptor) throws(SystemCallError) {
        try output.setNonBlocking(true)
        self.output = output
    }

    package var descriptorNumber: Int32 { output.number }

    /// Reads what has come.
    ///
    /// - Returns: the reply when its line is whole; nil when more is to come, or the loader has ended without a line.
    package mutating func read() -> LoaderReply? {
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= LoaderLimits.replyByteCount, let count = try? output.read(into: &block),
            count > 0
        {
            bytes += block[..<count]
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return LoaderReply(bytes.span.extracting(first: end))
    }
}

/// The place from which a loader takes the data files.
package enum LoadSource: String, Sendable, Hashable {
    /// The generation `current` in `stateDirectory`, when configuration, anchors and public keys are those it was made with.
    /// A start serves it at once, and then loads what is pushed.
    case unchanged
    /// `dataDirectory`, where files are pushed to.
    case pushed
    /// The generation `current` under the present configuration, because the pushed files were refused at the start.
    case lastGood = "last-good"
}

/// Something that the operator should know, although the load does not refuse it.
package struct LoadWarning: Sendable, Hashable {
    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
