internal import JSON
internal import System

/// The form that a string in the configuration must have.
struct ConfigurationText: Sendable {
    /// The words that complete the message "must be …".
    let expected: String
    let accepts: @Sendable (String) -> Bool

    /// An absolute path, so that its meaning does not depend on the directory in which a process was started.
    static let absolutePath = ConfigurationText(
        expected: "an absolute path, such as \"/var/lib/retentiond\""
    ) {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= ConfigurationLimits.pathBytes
            && $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    static let account = word(of: "._$-", "the name of a user or group")

    static let bundleIdentifier = word(of: "._-", "a bundle ID, such as \"com.example.app\"")

    static let notificationType = word(of: "_", "a notificationType, such as \"DID_RENEW\"")

    static let storeEnvironment = ConfigurationText(
        expected: "\"Production\" or \"Sandbox\""
    ) { ["Production", "Sandbox"].contains($0) }

    static let identifier = word(of: "-", "an identifier of App Store Connect")

    /// Returns the form of a string of letters, digits and the characters in `others`.
    private static func word(of others: StaticString, _ expected: String) -> ConfigurationText {
        ConfigurationText(expected: expected) { isWord($0, with: others) }
    }

    private static func isWord(_ text: String, with others: StaticString) -> Bool {
        let others = others.description.utf8
        return !text.isEmpty && text.utf8.count <= ConfigurationLimits.nameBytes
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.contains(byte)
                }
            }
    }
}

/// The address at which the pool accepts FastCGI connections.
package enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    case unix(path: String)
    case internet(host: String, port: UInt16)
    case systemd

    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .internet(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .systemd: "systemd"
        }
    }

    /// Parses `unix:/path`, `127.0.0.1:9000`, `[::1]:9000` or `systemd`. Returns nil for any other text.
    package init?(_ text: String) {
        if text == "systemd" {
            self = .systemd
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard ConfigurationText.absolutePath.accepts(path),
                path.utf8.count <= ConfigurationLimits.socketPathBytes, !path.hasSuffix("/")
            else { return nil }
            self = .unix(path: path)
        } else {
            guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...])
            else { return nil }
            var host = text[..<colon]
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            if isBracketed { host = host.dropFirst().dropLast() }
            guard NumericHost(String(host)) != nil, host.contains(":") == isBracketed else { return nil }
            self = .internet(host: String(host), port: port)
        }
    }

    /// True when only this machine can reach the address. True for systemd's socket, because its address is in the
    /// systemd unit.
    package var isLocal: Bool {
        switch self {
        case .unix, .systemd: true
        case .internet(let host, _): NumericHost(host)?.isLoopback ?? false
        }
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(text), port > 0
        else { return nil }
        return port
    }
}

enum OctalMode {
    /// Reads three octal digits, with or without one zero before them: `"660"` or `"0660"`. Returns nil for any other
    /// text.
    static func read(_ text: String) -> UInt32? {
        guard (3...4).contains(text.utf8.count), let mode = UInt32(text, radix: 8), mode <= 0o777,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) })
        else { return nil }
        return mode
    }

    static func text(_ mode: UInt32) -> String {
        let octal = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - octal.utf8.count)) + octal
    }
}
