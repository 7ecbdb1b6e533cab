public import Vocabulary

/// Why a part of a publication is not possible. Texts in it come from programs on this machine and on the hosts; whoever
/// shows them escapes them.
public enum PublishError: CodedError, Hashable, CustomStringConvertible {
    /// The name of a host cannot be one.
    case badHost(String)
    /// The words of a command cannot be read.
    case badCommand(String, reason: String)
    /// A program that publishing needs is not on this machine.
    case programMissing(String)
    /// The host cannot be reached.
    case unreachable(detail: String)
    /// The host does not say what it serves.
    case servedUnknown(detail: String)
    /// The answer of the host is not what `retentiond --served` prints.
    case badAnswer(reason: String)
    /// A command on the host took too long and was ended.
    case timedOut(command: String, seconds: Int64)
    /// The rsync of this machine is too old, or another program.
    case unfitRsync(reason: String)
    /// The files that a publication replaces could not be kept or put back.
    case formerFiles(FormerFiles, detail: String)
    /// A file could not be copied to the host.
    case copyFailed(detail: String)

    /// The stable code.
    public var code: String {
        switch self {
        case .badHost: "publish.bad-host"
        case .badCommand: "publish.bad-command"
        case .programMissing: "publish.program-missing"
        case .unreachable: "publish.unreachable"
        case .servedUnknown: "publish.served-unknown"
        case .badAnswer: "publish.bad-answer"
        case .timedOut: "publish.timed-out"
        case .unfitRsync: "publish.unfit-rsync"
        case .formerFiles: "publish.former-files"
        case .copyFailed: "publish.copy-failed"
        }
    }

    /// A sentence for a person that says what is wrong.
    public var description: String {
        switch self {
        case .badHost(let name):
            "\"\(name)\" is not the name of a host: letters, digits, \".\", \"_\", \"-\" and \":\", perhaps after \"user@\", "
                + "and \"-\" not first"
        case .badCommand(let text, let reason): "\"\(text)\" is not a command: \(reason)"
        case .programMissing(let name): "this machine has no program \(name)"
        case .unreachable(let detail): "cannot be reached: \(detail)"
        case .servedUnknown(let detail): "does not say what it serves: \(detail)"
        case .badAnswer(let reason):
            "says what it serves in a form that this version does not know: \(reason)"
        case .timedOut(let command, let seconds): "\(command) took more than \(seconds) s and was ended"
        case .unfitRsync(let reason): reason
        case .formerFiles(.restore, let detail): "the former files could not be put back: \(detail)"
        case .formerFiles(_, let detail): "the present files could not be kept: \(detail)"
        case .copyFailed(let detail): "the file could not be copied: \(detail)"
        }
    }
}
