public import Configuration
internal import JSON
public import System

/// What a loader tells the supervisor: first its descriptors, in as many messages as they need, then one of these.
public enum LoaderReply: Sendable {
    /// A generation.
    case loaded(Loaded)
    /// No, with the code and the sentence of a ``LoadError``.
    case refused(code: String, message: String)

    /// What the supervisor has to know of a generation; the manifest is the first descriptor that was sent,
    /// the keys are the second.
    public struct Loaded: Sendable {
        /// Where a file's bytes are.
        public enum Place: Sendable, Hashable {
            /// The descriptor that was sent at this place.
            case sent(Int)
            /// The file at this place of the present generation.
            case present(Int)
        }

        /// How many workers.
        public let workerCount: Int
        /// How long they may drain.
        public let drainMilliseconds: Int64
        /// The least severe lines that are written.
        public let logLevel: LogLevel
        /// How they are written.
        public let logFormat: LogFormat
        /// The files in the order of the manifest.
        public let files: [(file: ManifestFile, place: Place)]
        /// What was not refused but should be known.
        public let warnings: [LoadWarning]
        /// Where decision records go, and who is named by which key; nil when none are written.
        public let decisionLog: DecisionLogIdentity?
    }

    /// Bytes of a message that carries descriptors alone.
    static let descriptorsOnly: [UInt8] = [UInt8(ascii: "D")]
    /// The first byte of a message with lines for the decision log, which the supervisor writes as they are.
    static let marksBegin = UInt8(ascii: "M")

    /// The bytes of the last message.
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
                ("logFormat", .string(loaded.logFormat.rawValue)), ("files", .array(files)),
                ("warnings", .array(loaded.warnings.map(Self.node))),
                ("decisionLog", loaded.decisionLog.map { .string($0.path) } ?? .null),
                ("identifierKey", loaded.decisionLog.map { .string($0.identifierKey) } ?? .null),
            ]).serialized()
        }
    }

    /// Reads the last message; nil when it is not as a loader writes it.
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
        var decisionLog: DecisionLogIdentity?
        if let path = root.member("decisionLog")?.string, let key = root.member("identifierKey")?.string {
            decisionLog = DecisionLogIdentity(path: path, identifierKey: key)
        }
        self = .loaded(
            Loaded(
                workerCount: Int(workers),
                drainMilliseconds: drain,
                logLevel: level,
                logFormat: format,
                files: files,
                warnings: warnings.compactMap { $0 },
                decisionLog: decisionLog
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

/// The supervisor's side of the conversation: collects messages until the loader has said all.
public struct LoaderConversation: ~Copyable {
    private let socket: DescriptorSocket
    private var received: [DescriptorList] = []
    /// Lines for the decision log, as the loader made them.
    public private(set) var marks: [UInt8] = []

    /// Listens on `socket`.
    public init(over socket: consuming DescriptorSocket) {
        self.socket = socket
    }

    /// The number to wait on.
    public var descriptorNumber: Int32 { socket.descriptor.number }

    /// Every descriptor that came, in their order.
    public var descriptors: [Int32] { received.flatMap(\.numbers) }

    /// Takes what waits.
    ///
    /// - Returns: the reply, when the loader has said all; nil when more is to come, or never will because the loader
    ///   is gone: its exit tells that.
    public mutating func receive() -> LoaderReply? {
        while received.count <= LoaderLimits.fileCount,
            let message = try? socket.receive(capacityBytes: LoaderLimits.replyByteCount),
            !message.bytes.isEmpty
        {
            if message.bytes.first == LoaderReply.marksBegin {
                guard marks.count + message.bytes.count <= LoaderLimits.markByteCount else {
                    return .refused(code: "load-crashed", message: "the loader said too much")
                }
                marks += message.bytes.dropFirst()
                continue
            }
            received.append(message.descriptors)
            if message.bytes == LoaderReply.descriptorsOnly { continue }
            return LoaderReply(message.bytes.span)
                ?? .refused(code: "load-crashed", message: "the loader said something unintelligible")
        }
        return nil
    }
}
