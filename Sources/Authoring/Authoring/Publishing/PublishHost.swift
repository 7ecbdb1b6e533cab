package import System

/// A host that runs a pool.
///
/// A remote name becomes an argument of the remote shell and of rsync. So it has only characters that neither they nor a
/// shell gives a meaning, and does not begin like an option.
package enum PublishHost: Sendable, Hashable, CustomStringConvertible {
    /// This machine: commands run without a remote shell.
    case local
    /// A machine that the remote shell reaches.
    case remote(user: String?, name: String)

    package static let localName = "local"
    /// The longest name in bytes, user included.
    private static let byteLimit = 255

    /// Reads `local`, `HOST` or `USER@HOST`. HOST may be an address, also one of IPv6 without brackets.
    ///
    /// - Throws: `publish.bad-argument`.
    package init(_ text: String) throws(ToolError) {
        guard text != Self.localName else {
            self = .local
            return
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= Self.byteLimit, parts.count <= 2, parts.allSatisfy(Self.isSafe),
            let name = parts.last, parts.dropLast().allSatisfy({ !$0.contains(":") })
        else {
            throw ToolError(
                .usage, code: "publish.bad-argument", "\"\(text)\" is not the name of a host",
                hint:
                    "letters, digits, \".\", \"_\", \"-\" and \":\", perhaps after \"user@\", and \"-\" not first"
            )
        }
        self = .remote(user: parts.count == 2 ? parts[0] : nil, name: name)
    }

    private static func isSafe(_ part: String) -> Bool {
        guard !part.isEmpty, !part.hasPrefix("-"), !part.hasPrefix(":") || part.hasPrefix("::") else {
            return false
        }
        return part.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
    }

    /// The name as the user gave it.
    package var description: String {
        switch self {
        case .local: Self.localName
        case .remote(let user, let name): (user.map { "\($0)@" } ?? "") + name
        }
    }

    /// The arguments that tell a remote shell which machine it is to reach, in the form in which rsync gives them too.
    var shellArguments: [String] {
        switch self {
        case .local: []
        case .remote(let user, let name): (user.map { ["-l", $0] } ?? []) + [name]
        }
    }

    func destination(_ path: String) -> String {
        switch self {
        case .local: path
        case .remote(let user, let name):
            // A colon ends the host in rsync's syntax, so an address of IPv6 has brackets.
            (user.map { "\($0)@" } ?? "") + (name.contains(":") ? "[\(name)]" : name) + ":" + path
        }
    }
}

extension ToolError {
    /// A host that cannot be reached, or does not do or say what publishing needs. The text comes from programs on this machine
    /// and on the host; whoever shows it escapes it.
    package static func unreachable(_ words: String) -> ToolError {
        ToolError(.unreachable, code: "publish.unreachable", words)
    }
}

/// How a host is asked and changed. Tests replace it.
package protocol HostAccess {
    /// Asks a host what it serves, with the bytes of the rules files or without.
    func served(_ host: PublishHost, withRules: Bool) throws(ToolError) -> ServedPool
    /// Copies a file to a path on a host. The file at that path is replaced as a whole or not at all.
    func copy(_ file: String, to path: String, on host: PublishHost) throws(ToolError)
    /// Keeps the files with these names in a directory of a host, puts them back as they were, or drops what was kept.
    func former(_ step: FormerFiles, _ names: [String], in directory: String, on host: PublishHost)
        throws(ToolError)
    /// Has a host load its files, and waits for the end of that.
    func reload(_ host: PublishHost) -> ReloadAnswer
}

/// What is done with the files that a publication replaces.
package enum FormerFiles: String, Sendable, Hashable {
    /// They are kept under hidden names, which the host ignores.
    case keep
    /// They are put back. A name that had no file has none again.
    case restore
    /// What was kept is removed.
    case drop
}

/// How the command ended that has a host load its files. It does not say what the host serves now; only the host does.
package enum ReloadAnswer: Sendable, Hashable {
    case done
    /// The command failed. The text says how.
    case failed(detail: String)
    /// The command took too long and was ended. The host may still load the files.
    case timedOut(seconds: Int64)
}
