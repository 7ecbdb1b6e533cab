package import Cryptography
package import System

/// A notification as the App Store server sends it, before it is signed. A test can make any part of it wrong.
///
///     let sample = SubscriptionSample(
///         appAppleId: 6_745_974_591, bundleId: "com.example.app", environment: .production, purchaseDate: now)
///     let kind = try #require(NotificationKind("DID_RENEW"))
///     let payload = NotificationPayload(kind, of: sample, uuid: UUID.random(), signedDate: now)
///     let body = try SignedRequestBuilder(chain: chain).body(payload)
///
/// Source: Apple, App Store Server Notifications, responseBodyV2DecodedPayload.
package struct NotificationPayload: Sendable {
    /// `notificationType`, `subtype`, `notificationUUID`, `version` and `signedDate`.
    package var members = PayloadMembers()
    /// The name of the object that says what the notification is about; nil leaves the object out.
    package var objectName: String?
    /// The members of that object, except for the signed parts.
    package var object = PayloadMembers()
    /// The payload of `data.signedTransactionInfo`; nil leaves it out.
    package var transaction: PayloadMembers?
    /// The payload of `data.signedRenewalInfo`; nil leaves it out.
    package var renewalInfo: PayloadMembers?
    /// The payload of `appData.signedAppTransactionInfo`; nil leaves it out.
    package var appTransaction: PayloadMembers?
    /// Members to replace or to add in the object after its parts are signed, as JSON texts; nil leaves the member out.
    package var objectOverrides: [(name: String, json: String?)] = []
    /// Members to replace or to add in the notification after its object is written.
    package var overrides: [(name: String, json: String?)] = []

    package init(_ kind: NotificationKind, of sample: SubscriptionSample, uuid: UUID, signedDate: Int64) {
        members.set("notificationType", text: kind.type)
        members.set("subtype", text: kind.subtype)
        members.set("notificationUUID", text: uuid.description)
        members.set("version", text: "2.0")
        members.set("signedDate", number: signedDate)
        objectName = kind.object.rawValue
        kind.object.fill(&self, from: sample, uuid: uuid, signedDate: signedDate)
        kind.change(&self, sample, signedDate)
    }

    /// Returns a copy with `change` applied.
    package func with(_ change: (inout NotificationPayload) -> Void) -> NotificationPayload {
        var copy = self
        change(&copy)
        return copy
    }
}

extension SignedRequestBuilder {
    /// Signs the parts of a notification, then the notification, and returns its JWS.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    package func compact(_ notification: NotificationPayload) throws(CryptographyError) -> [UInt8] {
        var object = notification.object
        for (name, part) in [
            ("signedTransactionInfo", notification.transaction),
            ("signedRenewalInfo", notification.renewalInfo),
            ("signedAppTransactionInfo", notification.appTransaction),
        ] {
            guard let part else { continue }
            object.set(name, text: String(decoding: try compact(part.json), as: UTF8.self))
        }
        for change in notification.objectOverrides { object.set(change.name, json: change.json) }
        var members = notification.members
        if let name = notification.objectName { members.set(name, members: object) }
        for change in notification.overrides { members.set(change.name, json: change.json) }
        return try compact(members.json)
    }

    /// Signs a notification and returns the body that Apple's server posts.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    package func body(_ notification: NotificationPayload) throws(CryptographyError) -> [UInt8] {
        Self.wrap(try compact(notification))
    }
}
