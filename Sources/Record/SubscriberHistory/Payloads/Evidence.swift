/// A payload from which a fact follows: its kind, and how to find it in the store.
///
/// Payloads are ordered by the time at which Apple signed them. Their names decide between equal times, so the order never
/// depends on the order of arrival.
public struct Evidence: Sendable, Hashable, Comparable {
    /// The kinds of evidence, in the order in which the kinds decide between equal times: the last one says most.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A signed transaction. Its name is the SHA-256 digest of the JWS.
        case transaction
        /// A signed renewal info. Its name is the SHA-256 digest of the JWS.
        case renewal
        /// A notification. Its name is `notificationUUID`.
        case notification
    }

    /// `signedDate`, milliseconds since 1970.
    public let signedAt: Int64
    /// The kind of the payload.
    public let kind: Kind
    /// The name of the payload in the store.
    public let name: PayloadName

    /// Names a payload.
    public init(_ kind: Kind, _ name: PayloadName, signedAt: Int64) {
        self.signedAt = signedAt
        self.kind = kind
        self.name = name
    }

    /// Orders by time, then by kind, then by name.
    public static func < (left: Self, right: Self) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        if left.kind != right.kind { return left.kind.rank < right.kind.rank }
        return left.name < right.name
    }
}

extension Evidence.Kind {
    fileprivate var rank: Int {
        switch self {
        case .transaction: 0
        case .renewal: 1
        case .notification: 2
        }
    }
}
