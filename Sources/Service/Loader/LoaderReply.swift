public import Configuration
internal import JSON
public import System

/// The one line that a loader says on its standard output.
public enum LoaderReply: Sendable {
    /// The load made a generation.
    case loaded(Loaded)
    /// The load was refused, with the code and the sentence of a ``LoadError``.
    case refused(code: String, message: String)

    /// What the supervisor has to know of a generation.
    public struct Loaded: Sendable {
        public let workerCount: Int
        /// How many milliseconds a worker may take to drain.
        public let drainMilliseconds: Int64
        /// The lowest severity of log lines that are written.
        public let logLevel: LogLevel
        /// The format of log lines.
        public let logFormat: LogFormat
        /// The file of the log lines; nil for standard error.
        public let errorLog: String?
        public let fileCount: Int
        public let warnings: [LoadWarning]
    }

    init(_ result: Loader.Result) {
        let settings = result.manifest.configuration
        self = .loaded(
            Loaded(
                workerCount: settings.workers == 0 ? ProcessorCount.usable : settings.workers,
                drainMilliseconds: Int64(settings.drainMilliseconds), logLevel: settings.log.level,
                logFormat: settings.log.format, errorLog: settings.errorLog, fileCount: result.files.count,
                warnings: result.warnings))
    }

    /// The line, without its line feed.
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
    public init(_ line: Span<UInt8>) {
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
            let fileCount = root.member("files")?.int64, let warnings = root.member("warnings")
        else { return nil }
        return Loaded(
            workerCount: Int(workers), drainMilliseconds: drain, logLevel: level,
            logFormat: format, errorLog: root.member("errorLog")?.string, fileCount: Int(fileCount),
            warnings: warnings.elements.compactMap { warning in
                guard let code = warning.member("code")?.string,
                    let message = warning.member("message")?.string
                else { return nil }
                return LoadWarning(code: code, message: message)
            })
    }
}

/// The supervisor's end of a loader's standard output.
public struct LoaderReplyReader: ~Copyable {
    private let output: FileDescriptor
    private var bytes: [UInt8] = []

    /// Takes over the end of a pipe from which to read.
    public init(_ output: consuming FileDescriptor) throws(SystemCallError) {
        try output.setNonBlocking(true)
        self.output = output
    }

    /// The descriptor's number, for poll.
    public var descriptorNumber: Int32 { output.number }

    /// Reads what has come.
    ///
    /// - Returns: the reply when its line is whole; nil when more is to come, or the loader has ended without a line.
    public mutating func read() -> LoaderReply? {
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
