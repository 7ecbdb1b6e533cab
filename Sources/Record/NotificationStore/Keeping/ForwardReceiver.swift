internal import Cryptography
internal import SQL
public import Vocabulary

/// A receiver to which every stored notification is passed on.
public struct ForwardReceiver: Sendable, Hashable {
    /// The URL to which the bodies are posted. It may have a secret in its path or in its query.
    public let url: String
    /// The host with its port, for messages.
    public let host: String

    /// Reads the URL of a receiver: `https`, or `http` with 127.0.0.1, `[::1]` or localhost, because payloads name
    /// subscribers and must not go over the network in the clear.
    ///
    /// - Throws: `forward.bad-url`. The error has no part of the URL.
    public init(url: String) throws(ForwardingError) {
        guard (1...Self.byteCount).contains(url.utf8.count), let end = url.firstRange(of: "://") else {
            throw .badURL
        }
        let scheme = url[..<end.lowerBound].lowercased()
        let rest = url[end.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        // No user, no password, no fragment, and no character that a URL percent-encodes.
        let isPlain = url.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && !##""<>\^`{|}#"##.utf8.contains($0)
        }
        guard isPlain, let host = Self.host(authority) else { throw .badURL }
        let isLocal = ["127.0.0.1", "[::1]", "localhost"].contains(host)
        guard scheme == "https" || scheme == "http" && isLocal else { throw .badURL }
        self.url = url
        self.host = authority.lowercased()
    }

    /// A name without the secret of the URL: the host, and a digest that tells two receivers on one host apart.
    public var name: String { "\(host)#\(SHA256.hash(url.utf8Span.span).hexadecimal.prefix(16))" }

    /// The name of the cursor, whose position is the number of the last notification that the receiver has.
    public var cursorName: String { StoreCursor.forwardPrefix + name }

    /// The longest URL in bytes.
    private static let byteCount = 2048

    /// Returns the host in lower case; nil when it is malformed or the port is no number.
    private static func host(_ authority: Substring) -> String? {
        let isPlain = authority.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: ":"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        guard isPlain, (1...260).contains(authority.utf8.count) else { return nil }
        let search = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[search...].lastIndex(of: ":") else { return authority.lowercased() }
        let port = authority[authority.index(after: colon)...]
        guard let number = Int(port), (1...65_535).contains(number), port.utf8.count <= 5,
            colon > authority.startIndex
        else { return nil }
        return authority[..<colon].lowercased()
    }
}

/// The reason why notifications cannot be passed on.
public enum ForwardingError: CodedError, Hashable, CustomStringConvertible {
    /// The URL of a receiver is malformed, has a user or a fragment, or is neither `https` nor on this machine.
    case badURL

    /// The stable code.
    public var code: String {
        switch self {
        case .badURL: "forward.bad-url"
        }
    }

    /// The error as one line for people.
    public var description: String {
        "a receiver needs an https URL without user and fragment; http is for this machine alone"
    }
}

extension NotificationStore {
    /// Returns when this program got the first notification that a receiver does not have yet, milliseconds since 1970; nil
    /// when the receiver has everything. A receiver to which nothing was passed on lacks every notification.
    public func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64? {
        let position = try cursor(named: receiver.cursorName)?.position ?? 0
        return try perform { connection throws(SQLError) in
            try connection.query(
                "SELECT received_at FROM notifications WHERE id > ? ORDER BY id LIMIT 1",
                [.integer(position)]
            ).first?.integer(0)
        }
    }
}
