internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import System

/// What a host serves, as `retentiond --served` or `--served-rules` prints it.
struct ServedPool {
    struct File {
        /// Its name in `dataDirectory`.
        let name: String
        let kind: DataFileKind
        let appAppleId: Int64
        let environment: Environment
        /// The author's name of this version of the rules; nil without one.
        let revision: String?
        let digest: SHA256Digest
        /// The number of rows of a facts file; nil for rules, and from a host that does not say it.
        let rowCount: Int?
        /// Its bytes; nil when the host did not print them.
        let content: [UInt8]?

        /// The file for people: `revision 2026-11-21.3 (3f29a1c07bd2)`, or `rules 3f29a1c07bd2`.
        var text: String {
            let digest = digest.hexadecimal.prefix(12)
            return revision.map { "revision \($0) (\(digest))" } ?? "\(kind.name) \(digest)"
        }

        var json: JSONNode {
            .object([
                ("name", .string(name)), ("revision", JSONNode(revision)),
                ("sha256", .string(digest.hexadecimal)),
            ])
        }
    }

    let dataDirectory: String
    /// The number of the last load.
    let sequence: Int64
    /// Why the last load was refused; nil when its files serve.
    let refusal: (code: String, message: String)?
    let files: [File]
    /// The apps for which the pool has a key that signs; nil from a host that does not say it.
    let signingApps: [Int64]?

    /// The largest answer of `--served-rules` in bytes. The default limit of a rules file is 64 MiB.
    static let byteLimit = 256 << 20

    /// Reads the answer of a host. Unknown members are ignored, since a newer host may have more of them.
    ///
    /// - Throws: `publish.unreachable`.
    init(reading text: [UInt8]) throws {
        func bad(_ reason: String) -> ToolError {
            HostOptions.unreachable(
                "says what it serves in a form that this version does not know: \(reason)")
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(
                parsing: text.span, limits: JSONLimits(byteCount: Self.byteLimit, depth: 8))
        } catch { throw bad(error.code) }
        let root = document.root
        // rsync is given the path: absolute, and without characters that end a line.
        guard let directory = root.member("dataDirectory")?.string, directory.hasPrefix("/"),
            directory.utf8.count <= 4096, directory.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw bad("dataDirectory") }
        guard let sequence = root.member("sequence")?.int64, sequence > 0 else { throw bad("sequence") }
        dataDirectory = directory
        self.sequence = sequence
        switch root.member("result")?.string {
        case "loaded": refusal = nil
        case "refused":
            refusal = (
                root.member("code")?.string ?? "unknown", root.member("message")?.string ?? ""
            )
        default: throw bad("result")
        }
        guard let list = root.member("files"), list.kind == .array, list.count <= 256 else {
            throw bad("files")
        }
        files = try list.elements.enumerated().map { index, element in
            guard let file = File(element) else { throw bad("files[\(index)]") }
            return file
        }
        signingApps = root.member("signingApps")?.elements.compactMap(\.int64)
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
        let text = value.member("content")?.string
        content = text.flatMap { Base64.decode($0.utf8Span.span) }
        if text != nil, content == nil { return nil }
    }
}

/// A file that is published.
struct PublishedFile {
    let path: String
    let kind: DataFileKind
    let appAppleId: Int64
    let environment: Environment
    /// The digest by which a host says that it serves this file.
    let digest: SHA256Digest
    /// The number of rows of a facts file; nil for rules.
    let rowCount: Int?
    /// Its name on a host that serves no such file yet.
    let usualName: String

    /// Returns the file that a pool serves in the place of this one; nil when it serves none.
    func predecessor(in pool: ServedPool) -> ServedPool.File? {
        pool.files.first {
            $0.kind == kind && $0.appAppleId == appAppleId && $0.environment == environment
        }
    }

    func name(on pool: ServedPool) -> String { predecessor(in: pool)?.name ?? usualName }

    func isServed(by pool: ServedPool) -> Bool { predecessor(in: pool)?.digest == digest }
}

/// A host before anything is changed.
struct HostState {
    let host: PublishHost
    let pool: ServedPool
    let files: [PublishedFile]

    /// True when it serves the same files already, and its last load was accepted.
    var isCurrent: Bool { files.allSatisfy { $0.isServed(by: pool) } && pool.refusal == nil }

    /// The file that it serves in the place of the last published one: of the rules, if there are any.
    var served: ServedPool.File? { files.last?.predecessor(in: pool) }
}

/// What was done to a host, and what it serves now.
struct HostReport {
    /// How publishing ended on one host, in a word.
    enum Outcome: String {
        /// The host serves the new files.
        case published
        /// The host served the same rules and facts before, so nothing was done.
        case current
        /// The host has refused the files. What it served before still serves.
        case refused
        /// A file could not be copied, so nothing was loaded.
        case notCopied = "not-copied"
        /// The files are on the host, and the host has not loaded them.
        case notLoaded = "not-loaded"
        /// The host has loaded files since, and serves others than the new ones.
        case otherServed = "other-served"
        /// It is not known what the host serves now.
        case unknown
        /// An earlier host failed, so nothing was done here.
        case notTried = "not-tried"

        var code: String {
            switch self {
            case .published, .current: ""
            case .refused: "publish.refused"
            case .notCopied: "publish.unreachable"
            case .notLoaded, .otherServed, .unknown, .notTried: "publish.not-served"
            }
        }
    }

    let state: HostState
    let outcome: Outcome
    private let what: String
    private let advice: String?
    /// The file that serves now; nil when none does, or that is not known.
    private let after: ServedPool.File?

    init(
        _ state: HostState, _ outcome: Outcome, _ what: String, hint advice: String? = nil,
        after: ServedPool.File?
    ) {
        (self.state, self.outcome, self.what, self.advice, self.after) = (state, outcome, what, advice, after)
    }

    var isSuccess: Bool { outcome == .published || outcome == .current }

    /// The host on one line: what happened, and what serves.
    var text: String { "\(state.host): \(what); \(serves)" }

    private var serves: String {
        if outcome == .unknown { return "it is not known what it serves" }
        guard let after else { return "it serves no such file of this app" }
        return switch outcome {
        case .published, .current, .otherServed: "it serves \(after.text)"
        case .refused: "it still serves the last good file: \(after.text)"
        default: "it still serves \(after.text)"
        }
    }

    /// The failure as a finding; nil for a success.
    var finding: Finding? {
        guard !isSuccess else { return nil }
        let severity: Finding.Severity = outcome == .notTried ? .warning : .error
        return Finding(code: outcome.code, severity: severity, text, hint: advice)
    }

    var json: JSONNode {
        var members: [(String, JSONNode)] = [
            ("host", .string(state.host.description)), ("outcome", .string(outcome.rawValue)),
        ]
        if let finding {
            members += [("code", .string(finding.code)), ("message", .string(finding.message))]
        }
        return .object(
            members + [("before", state.served?.json ?? .null), ("serves", after?.json ?? .null)])
    }
}

extension HostOptions {
    /// Publishes to one host after the other, in their order. When a host fails, the hosts after it stay as they are.
    func publish(to states: [HostState]) -> [HostReport] {
        var reports: [HostReport] = []
        for state in states {
            if state.isCurrent {
                reports.append(HostReport(state, .current, "serves this already", after: state.served))
            } else if reports.allSatisfy(\.isSuccess) {
                reports.append(publish(to: state))
            } else {
                reports.append(
                    HostReport(
                        state, .notTried, "not tried, because an earlier host failed", after: state.served))
            }
        }
        Console.endProgress()
        return reports
    }

    private func publish(to state: HostState) -> HostReport {
        let (host, before, files) = (state.host, state.pool, state.files)
        let names = files.map { $0.name(on: before) }
        func former(_ step: FormerFiles) throws {
            try self.former(step, names, in: before.dataDirectory, on: host)
        }
        // The host would refuse every later load with a file that it has refused.
        func takenBack(_ outcome: HostReport.Outcome, _ words: String) -> HostReport {
            do {
                try former(.restore)
                let hint = outcome == .refused ? "the files that were there before are there again" : nil
                return HostReport(state, outcome, words, hint: hint, after: state.served)
            } catch {
                let left = "what was copied is still there: \(ToolError(error))"
                return HostReport(
                    state, outcome, "\(words); \(left)",
                    hint: "remove it there: until then every reload is refused", after: state.served)
            }
        }
        do { try former(.keep) } catch {
            return HostReport(state, .notCopied, "\(ToolError(error))", after: state.served)
        }
        do {
            for (file, name) in zip(files, names) {
                Console.progress("\(host): copying")
                try copy(file.path, to: "\(before.dataDirectory)/\(name)", on: host)
            }
        } catch { return takenBack(.notCopied, "\(ToolError(error))") }
        Console.progress("\(host): loading")
        let failure = reload(host)
        Console.progress("\(host): asking what it serves")
        let after: ServedPool
        do { after = try served(host, withRules: false) } catch {
            return HostReport(
                state, .unknown, "the file is there, and the host \(ToolError(error))",
                hint: "run the command again", after: nil)
        }
        // The host judges, not how the command ended that reloads.
        let serves = files.last?.predecessor(in: after)
        let isServed = files.allSatisfy { $0.isServed(by: after) }
        if let refusal = after.refusal, after.sequence != before.sequence, !isServed {
            return takenBack(.refused, "refused the file: \(refusal.code): \(refusal.message)")
        }
        try? former(.drop)
        if isServed { return HostReport(state, .published, "loaded", after: serves) }
        guard after.sequence == before.sequence else {
            return HostReport(
                state, .otherServed, "loaded another file than the one that was copied",
                hint: "somebody else has published at the same time", after: serves)
        }
        let words =
            failure.map { "the file is there and not loaded: \($0)" }
            ?? "the reload ended well, and the host has loaded nothing"
        return HostReport(
            state, .notLoaded, words, hint: "the next reload or restart of this host loads the file",
            after: serves)
    }
}
