/// A type and subtype of notifications, with what is special about its content.
package struct NotificationKind: Sendable, CustomStringConvertible {
    /// `notificationType`.
    package let type: String
    /// `subtype`; nil when a notification of this kind has none.
    package let subtype: String?
    package let object: NotificationObject
    /// Changes an ordinary notification into one of this kind.
    let change: Change

    /// The notification, its subscription, and the time of signing.
    typealias Change =
        @Sendable (inout NotificationPayload, SubscriptionSample, _ signedDate: Int64) -> Void

    init(
        _ type: String,
        _ subtype: String? = nil,
        _ object: NotificationObject = .data,
        _ change: @escaping Change = { _, _, _ in }
    ) {
        self.type = type
        self.subtype = subtype
        self.object = object
        self.change = change
    }

    /// Returns the documented kind; nil when there is none of this type and subtype.
    package init?(_ type: String, _ subtype: String? = nil) {
        guard let kind = Self.documented.first(where: { $0.type == type && $0.subtype == subtype }) else {
            return nil
        }
        self = kind
    }

    /// Returns a documented kind that the caller names in its source.
    ///
    /// - Precondition: there is such a kind.
    package static func known(_ type: String, _ subtype: String? = nil) -> NotificationKind {
        guard let kind = NotificationKind(type, subtype) else {
            preconditionFailure("\(type) \(subtype ?? "") is not documented")
        }
        return kind
    }

    /// The type, and after a full stop the subtype.
    package var description: String { subtype.map { "\(type).\($0)" } ?? type }

    /// Every kind that Apple has documented.
    ///
    /// Source: Apple, App Store Server Notifications, notificationType and subtype (2.23). Apple does not say which type
    /// comes with INCREASE_QUANTITY and DECREASE_QUANTITY; both change what renews.
    package static let documented: [NotificationKind] = renewing + ending + others
}
