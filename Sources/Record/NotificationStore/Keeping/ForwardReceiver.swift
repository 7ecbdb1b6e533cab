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
        guard let place = ReceiverURL(url), place.isSecure || place.isLocal else { throw .badURL }
        self.url = url
        host = place.authority
    }

    /// A name without the secret of the URL: the host, and a digest that tells two receivers on one host apart.
    public var name: String { "\(host)#\(SHA256.hash(url.utf8Span.span).hexadecimal.prefix(16))" }

    /// The name of the cursor, whose position is the number of the last notification that the receiver has.
    public var cursorName: String { StoreCursor.forwardPrefix + name }
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
