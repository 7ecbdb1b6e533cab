import Authoring
import Cryptography
import Facts
import Rules
import Support
import System

/// Hosts in memory: each has a pool that serves one rules file, and behaves as a test wants.
final class TestPool: HostAccess {
    /// What goes wrong on a host.
    enum Fault: Equatable {
        /// Nobody answers.
        case unreachable
        /// rsync fails.
        case copy
        /// The files there cannot be kept.
        case unkept
        /// The pool refuses the file, and then nobody can put the former one back.
        case refusalForGood
        /// The pool refuses the file.
        case refusal
        /// The command that reloads fails, and nothing is loaded.
        case notAsked
        /// The command that reloads takes too long, and nothing is loaded.
        case lateAndNotLoaded
        /// The command that reloads takes too long, and the file is loaded.
        case lateAndLoaded
        /// The command that reloads ends well, and nothing is loaded.
        case liar
        /// Somebody else's file is loaded.
        case otherFile
        /// Nobody answers after the reload.
        case lostAfterwards
    }

    struct Host {
        var served: String
        var sequence = 5
        var refusal: String?
        var copied: String?
        var isLost = false
    }

    private var hosts: [String: Host]
    private let faults: [String: Fault]
    /// What was done, in order.
    private(set) var log: [String] = []

    init(_ names: [String], faults: [String: Fault] = [:]) {
        hosts = Dictionary(uniqueKeysWithValues: names.map { ($0, Host(served: Self.digest("a"))) })
        self.faults = faults
    }

    static func digest(_ letter: Character) -> String { String(repeating: letter, count: 64) }

    /// The file that is published. Its path tells its digest.
    static func file() throws -> PublishedFile {
        var model = RulesModel(appAppleId: 7, bundleId: "com.example", environment: .production)
        model.defaultOutcome = .nothing
        let file = model.file
        return PublishedFile(
            path: "/tmp/\(file.digest.hexadecimal)", kind: .rules, appAppleId: 7, environment: .production,
            digest: file.digest, rowCount: nil, usualName: "new.rules.json")
    }

    func served(_ host: PublishHost, withRules: Bool) throws(ToolError) -> ServedPool {
        let name = host.description
        log.append("\(name) served")
        guard let state = hosts[name], faults[name] != .unreachable, !state.isLost else {
            throw .unreachable("cannot be reached: no route")
        }
        let code = state.refusal.map { "\"\($0)\"" } ?? "null"
        let result = state.refusal == nil ? "loaded" : "refused"
        let text = """
            {"dataDirectory":"/srv/\(name)","sequence":\(state.sequence),"result":"\(result)","code":\(code),
             "message":\(code),"files":[{"name":"app.rules.json","kind":"rules","appAppleId":7,
             "environment":"Production","digest":"\(state.served)"}]}
            """
        return try ServedPool(reading: Array(text.utf8))
    }

    func copy(_ file: String, to path: String, on host: PublishHost) throws(ToolError) {
        let name = host.description
        log.append("\(name) copy \(path)")
        if faults[name] == .copy {
            throw .unreachable("the file could not be copied: Read-only file system (status 11)")
        }
        hosts[name]?.copied = file.split(separator: "/").last.map(String.init)
    }

    func former(_ step: FormerFiles, _ names: [String], in directory: String, on host: PublishHost)
        throws(ToolError)
    {
        let name = host.description
        log.append("\(name) \(step.rawValue) \(names.map { "\(directory)/\($0)" }.joined(separator: " "))")
        if faults[name] == .unkept || (faults[name] == .refusalForGood && step == .restore) {
            let words =
                step == .restore
                ? "the former files could not be put back" : "the present files could not be kept"
            throw .unreachable("\(words): Permission denied (status 1)")
        }
    }

    func reload(_ host: PublishHost) -> ReloadAnswer {
        let name = host.description
        log.append("\(name) reload")
        guard var state = hosts[name], let copied = state.copied else { return .failed(detail: "status 1") }
        defer { hosts[name] = state }
        switch faults[name] {
        case .notAsked: return .failed(detail: "sudo: a password is required (status 1)")
        case .lateAndNotLoaded: return .timedOut(seconds: 9)
        case .liar: return .done
        default: break
        }
        state.sequence += 1
        if faults[name] == .refusal || faults[name] == .refusalForGood {
            state.refusal = "environment-not-configured"
            return .failed(detail: "status 1")
        }
        state.served = faults[name] == .otherFile ? Self.digest("c") : copied
        state.isLost = faults[name] == .lostAfterwards
        return faults[name] == .lateAndLoaded ? .timedOut(seconds: 9) : .done
    }
}
