public import Configuration
internal import JSON
public import System

/// The reply of a loader to the supervisor. The loader first sends its descriptors, in as many messages as
/// they need, and at last one reply.
public enum LoaderReply: Sendable {
    /// The load made a generation.
    case loaded(Loaded)
    /// The load was refused, with the code and the sentence of a ``LoadError``.
    case refused(code: String, message: String)

    /// What the supervisor has to know of a generation. The first descriptor that was sent is the manifest, the second
    /// is the keys.
    public struct Loaded: Sendable {
        /// Where the bytes of a file are.
        public enum Place: Sendable, Hashable {
            /// The descriptor at this index among those that were sent.
            case sent(Int)
            /// The file at this index in the present generation.
            case present(Int)
        }

        public let workerCount: Int
        /// How many milliseconds a worker may take to drain.
        public let drainMilliseconds: Int64
        /// The lowest severity of log lines that are written.
        public let logLevel: LogLevel
        /// The format of log lines.
        public let logFormat: LogFormat
        /// The file of the log lines; nil for standard error.
        public let errorLog: String?
        /// The files in the order of the manifest.
        public let files: [(file: ManifestFile, place: Place)]
        public let warnings: [LoadWarning]
    }

    /// The bytes of a message that carries only descriptors.
    static let descriptorsOnly: [UInt8] = [UInt8(ascii: "D")]

    /// The bytes of the reply, which is the last message.
    var bytes: [UInt8] {
        switch self {
        case .refused(let code, let message):
            return JSONNode.object([
                ("code", .string(code)), ("message", .string(String(message.prefix(4096)))),
            ]).serialized()
        case .loaded(let loaded):
            let files = loaded.files.map { file, place in
                switch place {
                case .sent(let index): file.node(extra: [("sent", .integer(Int64(index)))])
                case .present(let index): file.node(extra: [("present", .integer(Int64(index)))])
                }
            }
            return JSONNode.object([
                ("workers", .integer(Int64(loaded.workerCount))),
                ("drainMilliseconds", .integer(loaded.drainMilliseconds)),
                ("logLevel", .string(loaded.logLevel.rawValue)),
                ("logFormat", .string(loaded.logFormat.rawValue)),
                ("errorLog", loaded.errorLog.map { .string($0) } ?? .null), ("files", .array(files)),
                ("warnings", .array(loaded.warnings.map(Self.node))),
            ]).serialized()
        }
    }

    /// Decodes the last message; nil when it is not as a loader writes it.
    init?(_ bytes: Span<UInt8>) {
        let limits = JSONLimits(byteCount: LoaderLimits.replyByteCount, depth: 4)
        guard let document = try? JSONDocument(parsing: bytes, limits: limits) else { return nil }
        let root = document.root
        if let code = root.member("code")?.string, let message = root.member("message")?.string {
            self = .refused(code: code, message: message)
            return
        }
        guard let workers = root.member("workers")?.int64, (1...4096).contains(workers),
            let drain = root.member("drainMilliseconds")?.int64,
            (0...LoaderLimits.drainMilliseconds).contains(drain),
            let level = root.member("logLevel")?.string.flatMap(LogLevel.init(rawValue:)),
            let format = root.member("logFormat")?.string.flatMap(LogFormat.init(rawValue:)),
            let list = root.member("files"), list.count <= LoaderLimits.fileCount,
            let warnings = root.member("warnings")?.elements.map(Self.warning)
        else { return nil }
        var files: [(file: ManifestFile, place: Loaded.Place)] = []
        for element in list.elements {
            guard let file = ManifestFile(element) else { return nil }
            if let index = element.member("sent")?.int64, index >= 0 {
                files.append((file, .sent(Int(index))))
            } else if let index = element.member("present")?.int64, index >= 0 {
                files.append((file, .present(Int(index))))
            } else {
                return nil
            }
        }
        self = .loaded(
            Loaded(
                workerCount: Int(workers),
                drainMilliseconds: drain,
                logLevel: level,
                logFormat: format,
                errorLog: root.member("errorLog")?.string,
                files: files,
                warnings: warnings.compactMap { $0 }
            )
        )
    }

    private static func node(_ warning: LoadWarning) -> JSONNode {
        .object([("code", .string(warning.code)), ("message", .string(warning.message))])
    }

    private static func warning(_ value: JSONValue) -> LoadWarning? {
        guard let code = value.member("code")?.string, let message = value.member("message")?.string else {
            return nil
        }
        return LoadWarning(code: code, message: message)
    }
}

/// The supervisor's side of the conversation with a loader: collects messages until the loader's reply has come.
public struct LoaderReplyReceiver: ~Copyable {
    private let socket: DescriptorSocket
    private var received: [DescriptorList] = []

    /// Takes over `socket`, which is connected to a loader.
    public init(over socket: consuming DescriptorSocket) {
        self.socket = socket
    }

    /// The descriptor's number, for epoll.
    public var descriptorNumber: Int32 { socket.descriptor.number }

    /// All descriptors that were received, in their order.
    public var descriptors: [Int32] { received.flatMap(\.numbers) }

    /// Receives the messages that are waiting.
    ///
    /// - Returns: the reply, when it has come. Nil when more is to come, and when the loader is gone and nothing will
    ///   come: then its exit status tells that.
    public mutating func receive() -> LoaderReply? {
        while received.count <= LoaderLimits.fileCount,
            let message = try? socket.receive(capacityBytes: LoaderLimits.replyByteCount),
            !message.bytes.isEmpty
        {
            received.append(message.descriptors)
            if message.bytes == LoaderReply.descriptorsOnly { continue }
            return LoaderReply(message.bytes.span)
                ?? .refused(code: "load-crashed", message: "the loader's reply cannot be read")
        }
        return nil
    }
}
