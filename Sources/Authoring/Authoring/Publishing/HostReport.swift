internal import Cryptography
package import JSON
package import System

/// What was done to a host, and what it serves now.
package struct HostReport: Sendable, Hashable {
    package let host: PublishHost
    package let outcome: HostOutcome
    /// The file that served before; nil when none did, or that is not known.
    package let before: ServedPool.File?
    /// The file that serves now; nil when none does, or that is not known.
    package let after: ServedPool.File?

    /// Why what was copied is still on the host, which did not load it; nil when the former files are back, or nothing was
    /// taken back.
    var leftBehind: ToolError?

    /// The host on one line: what happened, and what serves.
    package var text: String {
        let left = leftBehind.map { "; what was copied is still there: \($0)" }
        return "\(host): \(outcome.text); \(serves)\(left ?? "")"
    }

    private var serves: String {
        switch outcome {
        case .unknown, .notAsked: return "it is not known what it serves"
        default: break
        }
        guard let after else { return "it serves no such file of this app" }
        switch outcome {
        case .published, .current, .otherServed: return "it serves \(after.text)"
        case .refused: return "it still serves the last good file: \(after.text)"
        default: return "it still serves \(after.text)"
        }
    }

    /// The failure as a finding; nil for a success.
    package var finding: Finding? {
        guard !outcome.isSuccess else { return nil }
        let severity: Finding.Severity = outcome == .notTried ? .warning : .error
        let hint = leftBehind == nil ? outcome.advice : "remove it there: until then every reload is refused"
        return Finding(code: outcome.code, severity: severity, text, hint: hint)
    }

    package var json: JSONNode {
        var members: [(String, JSONNode)] = [
            ("host", .string(host.description)), ("outcome", .string(outcome.word)),
        ]
        if let finding {
            members += [("code", .string(finding.code)), ("message", .string(finding.message))]
        }
        if case .refused(let refusal) = outcome {
            members += [
                (
                    "refusal",
                    .object([("code", .string(refusal.code)), ("message", .string(refusal.message))])
                )
            ]
        }
        return .object(members + [("before", Self.json(before)), ("serves", Self.json(after))])
    }

    package static func json(_ file: ServedPool.File?) -> JSONNode {
        guard let file else { return .null }
        return .object([
            ("name", .string(file.name)), ("revision", file.revision.map { .string($0) } ?? .null),
            ("sha256", .string(file.digest.hexadecimal)),
        ])
    }
}

/// How publishing ended on one host.
package enum HostOutcome: Sendable, Hashable {
    /// The host serves the new files.
    case published
    /// The host served the same rules and facts before, so nothing was done.
    case current
    /// The host has refused the files. What it served before still serves.
    case refused(ServedPool.Refusal)
    /// A file could not be copied, so nothing was loaded. What the host served before still serves.
    case notCopied(ToolError)
    /// The files are on the host, and the host has not loaded them.
    case notLoaded(ReloadAnswer)
    /// The host has loaded files since, and serves others than the new ones.
    case otherServed
    /// The host did not say what it serves before anything was done, so nothing was done.
    case notAsked(ToolError)
    /// It is not known what the host serves now.
    case unknown(ToolError)
    /// An earlier host failed, so nothing was done here.
    case notTried

    /// Judges a host by what it says that it serves. How the command ended that reloads only explains a failure.
    ///
    /// - Parameters:
    ///   - files: the files that were copied.
    ///   - before: what the host served before they were copied.
    ///   - after: what it says after the reload.
    ///   - reload: how the command ended that reloads.
    init(of files: [PublishedFile], before: ServedPool, after: ServedPool, reload: ReloadAnswer) {
        if files.allSatisfy({ $0.isServed(by: after) }) {
            self = .published
        } else if after.sequence == before.sequence {
            self = .notLoaded(reload)
        } else if let refusal = after.refusal {
            self = .refused(refusal)
        } else {
            self = .otherServed
        }
    }

    package var isSuccess: Bool { self == .published || self == .current }

    package var word: String {
        switch self {
        case .published: "published"
        case .current: "current"
        case .refused: "refused"
        case .notCopied: "not-copied"
        case .notLoaded: "not-loaded"
        case .otherServed: "other-served"
        case .notAsked: "not-asked"
        case .unknown: "unknown"
        case .notTried: "not-tried"
        }
    }

    /// The code of a failure; empty for a success.
    package var code: String {
        switch self {
        case .published, .current: ""
        case .refused: "publish.refused"
        case .notCopied(let error), .notAsked(let error): error.code
        case .notLoaded, .otherServed, .unknown, .notTried: "publish.not-served"
        }
    }

    var text: String {
        switch self {
        case .published: "loaded"
        case .current: "serves this already"
        case .refused(let refusal): "refused the file: \(refusal.code): \(refusal.message)"
        case .notCopied(let error), .notAsked(let error): "\(error)"
        case .notLoaded(.done): "the reload ended well, and the host has loaded nothing"
        case .notLoaded(.failed(let detail)): "the file is there and not loaded: \(detail)"
        case .notLoaded(.timedOut(let seconds)):
            "the file is there, and the host gave no verdict within \(seconds) s; it may still load the file"
        case .otherServed: "loaded another file than the one that was copied"
        case .unknown(let error): "the file is there, and the host \(error)"
        case .notTried: "not tried, because an earlier host failed"
        }
    }

    /// What to do about a failure; nil where the text says it.
    var advice: String? {
        switch self {
        case .refused: "the files that were there before are there again"
        case .notCopied(let error) where error.description.contains("unknown option"):
            "rsync on the host is too old as well: \(HostCommands.neededRsync)"
        case .notLoaded: "the next reload or restart of this host loads the file"
        case .otherServed: "somebody else has published at the same time"
        case .unknown: "run the command again"
        case .published, .current, .notCopied, .notAsked, .notTried: nil
        }
    }
}
