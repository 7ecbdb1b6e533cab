public import Cryptography
public import DataFiles
internal import JSON
public import Vocabulary

/// What a host serves, as `retentiond --served` or `--served-rules` prints it.
public struct ServedPool: Sendable, Hashable {
    /// A data file that the pool serves.
    public struct File: Sendable, Hashable {
        /// Its name in `dataDirectory`.
        public let name: String
        /// Rules or facts.
        public let kind: DataFileKind
        /// The App Store's number of its app.
        public let appAppleId: Int64
        /// The environment that the file serves.
        public let environment: Environment
        /// The author's name of this version of the rules; nil without one.
        public let revision: String?
        public let digest: SHA256Digest
        /// The number of rows of a facts file; nil for rules, and from a host that does not say it.
        public let rowCount: Int?
        /// Its bytes; nil when the host did not print them.
        public let content: [UInt8]?

        /// The file for people: `revision 2026-11-21.3 (3f29a1c07bd2)`, or `rules 3f29a1c07bd2`.
        public var text: String {
            let digest = digest.hexadecimal.prefix(12)
            return revision.map { "revision \($0) (\(digest))" } ?? "\(kind.name) \(digest)"
        }
    }

    /// Why the last load was refused.
    public struct Refusal: Sendable, Hashable {
        /// The stable code.
        public let code: String
        /// The words of the host.
        public let message: String
    }

    /// The directory to which files are copied.
    public let dataDirectory: String
    /// The number of the last load.
    public let sequence: Int64
    /// Why the last load was refused; nil when its files serve.
    public let refusal: Refusal?
    /// The files that serve.
    public let files: [File]

    /// The largest answer of `--served` in bytes.
    public static let byteLimit = 1 << 20
    /// The largest answer of `--served-rules` in bytes. The default limit of a rules file is 64 MiB.
    public static let byteLimitWithRules = 256 << 20
    private static let fileLimit = 256
    private static let pathByteLimit = 4096

    /// Returns the file of a kind for an app in an environment; nil when the pool serves none.
    public func file(_ kind: DataFileKind, appAppleId: Int64, environment: Environment) -> File? {
        files.first { $0.kind == kind && $0.appAppleId == appAppleId && $0.environment == environment }
    }

    /// Reads the answer of a host. Unknown members are ignored, since a newer host may have more of them.
    ///
    /// - Throws: `publish.bad-answer`.
    public init(reading text: [UInt8]) throws(PublishError) {
        let limits = JSONLimits(byteCount: Self.byteLimitWithRules, depth: 8)
        let document = try JSONError.mapped(
            to: { PublishError.badAnswer(reason: $0.code) },
            try JSONDocument(parsing: text.span, limits: limits)
        )
        let root = document.root
        guard let directory = root.member("dataDirectory")?.string, Self.isUsable(directory) else {
            throw .badAnswer(reason: "dataDirectory")
        }
        guard let sequence = root.member("sequence")?.int64, sequence > 0 else {
            throw .badAnswer(reason: "sequence")
        }
        dataDirectory = directory
        self.sequence = sequence
        switch root.member("result")?.string {
        case "loaded": refusal = nil
        case "refused":
            refusal = Refusal(
                code: root.member("code")?.string ?? "unknown", message: root.member("message")?.string ?? "")
        default: throw .badAnswer(reason: "result")
        }
        guard let list = root.member("files"), list.kind == .array, list.count <= Self.fileLimit else {
            throw .badAnswer(reason: "files")
        }
        var files: [File] = []
        for (index, element) in list.elements.enumerated() {
            guard let file = File(element) else { throw .badAnswer(reason: "files[\(index)]") }
            files.append(file)
        }
        self.files = files
    }

    /// Returns true for a path that rsync can be given: absolute, and without characters that end a line.
    private static func isUsable(_ path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= pathByteLimit
            && path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

extension ServedPool.File {
    /// Reads an entry of `files`; nil for anything else.
    fileprivate init?(_ value: JSONValue) {
        guard let name = value.member("name")?.string, let kind = DataFileName.kind(of: name),
            value.member("kind")?.string == kind.name,
            let app = value.member("appAppleId")?.int64, app > 0,
            let environment = value.member("environment")?.string.flatMap(Environment.init(rawValue:)),
            let digest = value.member("digest")?.string.flatMap(SHA256Digest.init(hexadecimal:))
        else { return nil }
        self.name = name
        self.kind = kind
        appAppleId = app
        self.environment = environment
        revision = value.member("revision")?.string
        self.digest = digest
        rowCount = value.member("rows")?.int64.flatMap { $0 >= 0 ? Int($0) : nil }
        if let text = value.member("content")?.string {
            guard let bytes = Base64.decode(text.utf8Span.span) else { return nil }
            content = bytes
        } else {
            content = nil
        }
    }
}
