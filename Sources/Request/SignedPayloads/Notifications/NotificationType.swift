/// The event of a notification. Any text is a type; ``known`` has those that Apple has documented.
///
/// Source: Apple, App Store Server Notifications, notificationType (2.23) and the models of Apple's server libraries.
public struct NotificationType: RawRepresentable, Sendable, Hashable {
    /// Apple's word.
    public let rawValue: String

    /// Takes Apple's word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The word of a test notification, which has no transaction.
    public static let test = NotificationType(rawValue: "TEST")

    /// The documented types. Labels of metrics come from this list, so that their number is bounded.
    public static let known: [NotificationType] = [
        "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED",
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED",
        "REFUND_REVERSED", "CONSUMPTION_REQUEST", "REVOKE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION",
        "ONE_TIME_CHARGE", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION",
        "PRICE_CHANGE", "UNCLAIM_SEATS", "TEST",
    ].map { NotificationType(rawValue: $0) }
}

/// What kind of its type a notification is. Any text is a subtype; ``known`` has those that Apple has documented.
///
/// Source: Apple, App Store Server Notifications, subtype (2.23).
public struct NotificationSubtype: RawRepresentable, Sendable, Hashable {
    /// Apple's word.
    public let rawValue: String

    /// Takes Apple's word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The documented subtypes.
    public static let known: [NotificationSubtype] = [
        "INITIAL_BUY", "RESUBSCRIBE", "UPGRADE", "DOWNGRADE", "INCREASE_QUANTITY", "DECREASE_QUANTITY",
        "AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED", "VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE",
        "PRODUCT_NOT_FOR_SALE", "GRACE_PERIOD", "BILLING_RECOVERY", "PENDING", "ACCEPTED", "SUMMARY",
        "FAILURE",
        "UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER", "SEATS",
    ].map { NotificationSubtype(rawValue: $0) }
}
