package import Cryptography
package import Facts
internal import JSON
package import System

/// What a host serves, as `retentiond --served` or `--served-rules` prints it.
package struct ServedPool: Sendable, Hashable {
    package struct File: Sendable, Hashable {
        /// Its name in `dataDirectory`.
        package let name: String
        package let kind: DataFileKind
        package let appAppleId: Int64
        package let environment: Environment
        /// The author's name of this version of the rules; nil without one.
        package let revision: String?
        package let digest: SHA256Digest
        /// The number of rows of a facts file; nil for rules, and from a host that does not say it.
        package let rowCount: Int?
        /// Its bytes; nil when the host did not print them.
        package let content: [UInt8]?

        /// The file for people: `revision 2026-11-21.3 (3f29a1c07bd2)`, or `rules 3f29a1c07bd2`.
        package var text: String {
            let digest = digest.hexadecimal.prefix(12)
            return revision.map { "revision \($0) (\(digest))" } ?? "\(kind.name) \(digest)"
        }
    }

    /// Why the last load was refused.
    package struct Refusal: Sendable, Hashable {
        package let code: String
        package let message: String
    }

    package let dataDirectory: String
    /// The number of the last load.
    package let sequence: Int64
    /// Why the last load was refused; nil when its files serve.
    package let refusal: Refusal?
    package let files: [File]

    /// The largest answer of `--served` in bytes.
    package static let byteLimit = 1 << 20
    /// The largest answer of `--served-rules` in bytes. The default limit of a rules file is 64 MiB.
    package static let byteLimitWithRules = 256 << 20
    private static let fileLimit = 256
    private static let pathByteLimit = 4096

    /// Returns the file of a kind for an app in an environment; nil when the pool serves none.
    package func file(_ kind: DataFileKind, appAppleId: Int64, environment: Environment) -> File? {
        files.first { $0.kind == kind && $0.appAppleId == appAppleId && $0.environment == environment }
    }

    /// Reads the answer of a host. Unknown members are ignored, since a newer host may have more of them.
    ///
    /// - Throws: `publish.unreachable`.
    package init(reading text: [UInt8]) throws(ToolError) {
        let limits = JSONLimits(byteCount: Self.byteLimitWithRules, depth: 8)
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: text.span, limits: limits)
        } catch {
            throw Self.badAnswer(error.code)
        }
        let root = document.root
        guard let directory = root.member("dataDirectory")?.string, Self.isUsable(directory) else {
            throw Self.badAnswer("dataDirectory")
        }
        guard let sequence = root.member("sequence")?.int64, sequence > 0 else {
            throw Self.badAnswer("sequence")
        }
        dataDirectory = directory
        self.sequence = sequence
        switch root.member("result")?.string {
        case "loaded": refusal = nil
        case "refused":
            refusal = Refusal(
                code: root.member("code")?.string ?? "unknown", message: root.member("message")?.string ?? "")
        default: throw Self.badAnswer("result")
        }
        guard let list = root.member("files"), list.kind == .array, list.count <= Self.fileLimit else {
            throw Self.badAnswer("files")
        }
        var files: [File] = []
        for (index, element) in list.elements.enumerated() {
            guard let file = File(element) else { throw Self.badAnswer("files[\(index)]") }
            files.append(file)
        }
        self.files = files
    }

    private static func badAnswer(_ reason: String) -> ToolError {
        .unreachable("says what it serves in a form that this version does not know: \(reason)")
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

package struct PublishedFile: Sendable, Hashable {
    package let path: String
    package let kind: DataFileKind
    package let appAppleId: Int64
    package let environment: Environment
    /// Its digest, by which a host says that it serves this file.
    package let digest: SHA256Digest
    /// The number of rows of a facts file; nil for rules.
    package let rowCount: Int?
    /// Its name on a host that serves no such file yet.
    package let usualName: String

    package init(
        path: String, kind: DataFileKind, appAppleId: Int64, environment: Environment, digest: SHA256Digest,
        rowCount: Int?, usualName: String
    ) {
        self.path = path
        self.kind = kind
        self.appAppleId = appAppleId
        self.environment = environment
        self.digest = digest
        self.rowCount = rowCount
        self.usualName = usualName
    }

    /// Returns the file that a pool serves in the place of this one; nil when it serves none.
    package func predecessor(in pool: ServedPool) -> ServedPool.File? {
        pool.file(kind, appAppleId: appAppleId, environment: environment)
    }

    /// Returns the name under which a host has, or will have, the file.
    package func name(on pool: ServedPool) -> String { predecessor(in: pool)?.name ?? usualName }

    package func isServed(by pool: ServedPool) -> Bool { predecessor(in: pool)?.digest == digest }
}
