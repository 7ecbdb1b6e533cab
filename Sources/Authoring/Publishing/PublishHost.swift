/// A host that runs a pool.
///
/// A remote name becomes an argument of the remote shell and of rsync. So it has only characters that neither they nor a
/// shell gives a meaning, and does not begin like an option.
public enum PublishHost: Sendable, Hashable, CustomStringConvertible {
    /// This machine: commands run without a remote shell.
    case local
    /// A machine that the remote shell reaches.
    case remote(user: String?, name: String)

    /// The word for this machine.
    public static let localName = "local"
    /// The longest name in bytes, user included.
    private static let byteLimit = 255

    /// Reads `local`, `HOST` or `USER@HOST`. HOST may be an address, also one of IPv6 without brackets.
    ///
    /// - Throws: `publish.bad-host`.
    public init(_ text: String) throws(PublishError) {
        guard text != Self.localName else {
            self = .local
            return
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= Self.byteLimit, parts.count <= 2, parts.allSatisfy(Self.isSafe),
            let name = parts.last, parts.dropLast().allSatisfy({ !$0.contains(":") })
        else { throw .badHost(text) }
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
    public var description: String {
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

    /// Returns the destination of rsync for a path on this host.
    func destination(_ path: String) -> String {
        switch self {
        case .local: path
        case .remote(let user, let name):
            // A colon ends the host in rsync's syntax, so an address of IPv6 has brackets.
            (user.map { "\($0)@" } ?? "") + (name.contains(":") ? "[\(name)]" : name) + ":" + path
        }
    }
}
