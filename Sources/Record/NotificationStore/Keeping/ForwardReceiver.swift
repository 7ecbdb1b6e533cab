internal import Cryptography
internal import SQL
public import Vocabulary

/// Which notifications a receiver gets. An empty list lets all through.
public struct ForwardFilter: Sendable, Hashable, CustomStringConvertible {
    /// Environments, as Apple spells them.
    public var environments: [String]
    /// Bundle identifiers.
    public var apps: [String]
    /// Values of `notificationType`.
    public var types: [String]

    /// Makes a filter; without lists it lets all through.
    public init(environments: [String] = [], apps: [String] = [], types: [String] = []) {
        self.environments = environments
        self.apps = apps
        self.types = types
    }

    /// The filter in words; empty when it lets all through.
    public var description: String {
        [("environments", environments), ("apps", apps), ("types", types)].filter { !$0.1.isEmpty }
            .map { "\($0.0) \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
    }

    /// The conditions for rows of notifications `n`, and their values.
    var condition: (text: SQLText, values: [SQLValue]) {
        let columns: [(SQLText, [String])] = [
            ("n.environment", environments), ("n.app", apps), ("n.type", types),
        ]
        var (text, values): (SQLText, [SQLValue]) = ("", [])
        for (column, list) in columns where !list.isEmpty {
            text += " AND " + column + " IN " + SQLList(count: list.count).text
            values += list.map { .text($0) }
        }
        return (text, values)
    }
}

/// A receiver to which stored notifications are passed on.
public struct ForwardReceiver: Sendable, Hashable {
    /// The URL to which the bodies are posted. It may have a secret in its path or in its query.
    public let url: String
    /// The host with its port, for messages.
    public let host: String
    /// Which notifications it gets.
    public let filter: ForwardFilter

    /// Reads the URL of a receiver: `https`, or `http` with 127.0.0.1, `[::1]` or localhost, because payloads name
    /// subscribers and must not go over the network in the clear.
    ///
    /// - Throws: `forward.bad-url`. The error has no part of the URL.
    public init(url: String, filter: ForwardFilter = ForwardFilter()) throws(ForwardingError) {
        guard let place = ReceiverURL(url), place.isSecure || place.isLocal else { throw .badURL }
        self.url = url
        host = place.authority
        self.filter = filter
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
                "SELECT received_at FROM notifications WHERE id > ? ORDER BY id LIMIT 1", [.integer(position)]
            ).first?.integer(0)
        }
    }
}
