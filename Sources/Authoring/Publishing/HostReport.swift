internal import Cryptography
public import JSON
public import Vocabulary

/// What was done to a host, and what it serves now.
public struct HostReport: Sendable, Hashable {
    /// The host to which the files were to be published.
    public let host: PublishHost
    /// How publishing ended there.
    public let outcome: HostOutcome
    /// The rules file that served before; nil when none did, or that is not known.
    public let before: ServedPool.File?
    /// The rules file that serves now; nil when none does, or that is not known.
    public let after: ServedPool.File?

    /// Why what was copied is still on the host, which did not load it; nil when the former files are back, or nothing was
    /// taken back.
    var leftBehind: PublishError?

    /// The host on one line: what happened, and what serves.
    public var text: String {
        let left = leftBehind.map { "; what was copied is still there: \($0)" }
        return "\(host): \(outcome.text); \(serves)\(left ?? "")"
    }

    /// What the host serves now, for people.
    private var serves: String {
        switch outcome {
        case .unknown, .notAsked: return "it is not known what it serves"
        default: break
        }
        guard let after else { return "it serves no rules of this app" }
        switch outcome {
        case .published, .current, .otherServed: return "it serves \(after.text)"
        case .refused: return "it still serves the last good rules: \(after.text)"
        default: return "it still serves \(after.text)"
        }
    }

    /// The failure as a finding; nil for a success.
    public var finding: Finding? {
        guard !outcome.isSuccess else { return nil }
        let severity: Finding.Severity = outcome == .notTried ? .warning : .error
        let hint = leftBehind == nil ? outcome.advice : "remove it there: until then every reload is refused"
        return Finding(code: outcome.code, severity: severity, text, hint: hint)
    }

    /// The report as a JSON object.
    public var json: JSONNode {
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

    /// Returns a served file as a JSON object, or null.
    public static func json(_ file: ServedPool.File?) -> JSONNode {
        guard let file else { return .null }
        return .object([
            ("name", .string(file.name)), ("revision", file.revision.map { .string($0) } ?? .null),
            ("sha256", .string(file.digest.hexadecimal)),
        ])
    }
}
