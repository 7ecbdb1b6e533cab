internal import AppStoreServerAPI
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import System

/// What a host serves, as `retentiond --served` or `--served-rules` prints it. A newer host may say more.
struct ServedPool: Decodable {
    struct File: Decodable {
        /// Its name in `dataDirectory`.
        let name: String
        let kind: String
        let appAppleId: Int64
        let environment: String
        let revision: String?
        let digest: String
        let rows: Int?
        /// Its bytes in base64; nil when the host did not print them.
        let content: String?

        /// The file for people: `revision 2026-11-21.3 (3f29a1c07bd2)`, or `rules 3f29a1c07bd2`.
        var text: String {
            revision.map { "revision \($0) (\(digest.prefix(12)))" } ?? "\(kind) \(digest.prefix(12))"
        }

        var json: JSONNode {
            .object([
                ("name", .string(name)), ("revision", JSONNode(revision)), ("sha256", .string(digest)),
            ])
        }
    }

    let dataDirectory: String
    let sequence: Int64
    private let result: String
    private let code: String?
    private let message: String?
    let files: [File]
    /// The apps for which the pool has a key that signs; nil from a host that does not say it.
    let signingApps: [Int64]?

    /// The largest answer of `--served-rules` in bytes. The default limit of a rules file is 64 MiB.
    static let byteLimit = 256 << 20

    /// Why the last load was refused; nil when its files serve.
    var refusal: (code: String, message: String)? {
        result == "refused" ? (code ?? "unknown", message ?? "") : nil
    }

    init(reading text: [UInt8]) throws {
        func strange(_ reason: String) -> ToolError {
            HostOptions.unreachable(
                "says what it serves in a form that this version does not know: \(reason)")
        }
        do { self = try AppleJSON.decode(Self.self, text) } catch { throw strange("\(error)") }
        // rsync is given the path: absolute, and without characters that end a line.
        guard dataDirectory.hasPrefix("/"), dataDirectory.utf8.count <= 4096,
            dataDirectory.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw strange("dataDirectory") }
        guard files.allSatisfy({ DataFileName.kind(of: $0.name)?.name == $0.kind }) else {
            throw strange("files")
        }
    }
}

struct PublishedFile {
    let path: String
    let kind: DataFileKind
    let appAppleId: Int64
    let environment: Environment
    let digest: SHA256Digest
    let rowCount: Int?
    /// Its name on a host that serves no such file yet.
    let usualName: String

    func predecessor(in pool: ServedPool) -> ServedPool.File? {
        pool.files.first {
            $0.kind == kind.name && $0.appAppleId == appAppleId && $0.environment == environment.rawValue
        }
    }

    func name(on pool: ServedPool) -> String { predecessor(in: pool)?.name ?? usualName }

    func isServed(by pool: ServedPool) -> Bool { predecessor(in: pool)?.digest == digest.hexadecimal }
}

struct HostState {
    let host: PublishHost
    let pool: ServedPool
    let files: [PublishedFile]

    /// True when it serves the same files already, and its last load was accepted.
    var isCurrent: Bool { files.allSatisfy { $0.isServed(by: pool) } && pool.refusal == nil }

    /// The file that it serves in the place of the last published one: of the rules, if there are any.
    var served: ServedPool.File? { files.last?.predecessor(in: pool) }
}

struct HostReport {
    enum Outcome: String {
        case published
        /// The host served the same files before, so nothing was done.
        case current
        case refused
        case notCopied = "not-copied"
        case notLoaded = "not-loaded"
        /// The host has loaded files since, and serves others than the new ones.
        case otherServed = "other-served"
        /// It is not known what the host serves now.
        case unknown
        /// An earlier host failed, so nothing was done here.
        case notTried = "not-tried"
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

    private var code: String {
        switch outcome {
        case .refused: "publish.refused"
        case .notCopied: "publish.unreachable"
        default: "publish.not-served"
        }
    }

    /// Nil for a success.
    var finding: Finding? {
        guard !isSuccess else { return nil }
        return Finding(code: code, severity: outcome == .notTried ? .warning : .error, text, hint: advice)
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
        // The host decides, not how the command ended that reloads.
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
