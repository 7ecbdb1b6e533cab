internal import AppStoreTraffic
internal import NotificationStore
internal import SignedPayloads

/// What the notifications that have the same number in their lives have in common.
///
/// To make a notification member by member and to verify it takes four times as long as to sign it. So one notification of
/// each number is made in that way, and the others get their own values in its payloads and columns.
struct HistoryShape {
    private let proof: StoreProof
    private let notification: StoredNotification
    private let transaction: StoredPart<TransactionColumns>
    private let renewal: StoredPart<RenewalColumns>
    private let payload: TextPattern
    private let transactionPayload: TextPattern
    private let renewalPayload: TextPattern

    /// Takes over a verified notification with these values.
    init(_ verified: VerifiedPayload<SignedNotification>, of values: HistoryValues) throws {
        let item = StoreItem(verified, source: .history, receivedAt: values.signedAt)
        let parts = try HistoryParts(item)
        guard case .verified(let transaction, _) = verified.payload.transaction,
            case .verified(let renewal, _) = verified.payload.renewalInfo
        else { throw Failure("a part was not verified") }
        // The content of the proof does not matter to the store.
        proof = StoreProof(verified)
        self.notification = parts.notification
        self.transaction = parts.transaction
        self.renewal = parts.renewal
        payload = TextPattern(
            verified.payload.received.payload, values.texts + [parts.transaction.jws, parts.renewal.jws])
        transactionPayload = TextPattern(transaction.payload.received.payload, values.texts)
        renewalPayload = TextPattern(renewal.payload.received.payload, values.texts)
    }

    /// Returns the notification with these values, signed like the first one.
    func item(_ values: HistoryValues, _ signer: SignedRequestBuilder) throws -> StoreItem {
        let transactionJWS = try signer.compact(transactionPayload.filled(values.texts))
        let renewalJWS = try signer.compact(renewalPayload.filled(values.texts))
        let jws = try signer.compact(payload.filled(values.texts + [transactionJWS, renewalJWS]))
        var columns = notification.columns
        columns.signedAt = values.signedAt
        var made = StoredNotification(
            proof: proof, jws: jws,
            identity: StoredNotification.Identity(
                app: notification.identity.app, environment: notification.identity.environment,
                uuid: values.uuid), columns: columns)
        made.transaction = .sound(
            StoredPart(proof: proof, jws: transactionJWS, columns: transactionColumns(values))
        )
        made.renewal = .sound(StoredPart(proof: proof, jws: renewalJWS, columns: renewalColumns(values)))
        return StoreItem(.notification(made), source: .history, receivedAt: values.signedAt)
    }

    private func transactionColumns(_ values: HistoryValues) -> TransactionColumns {
        var columns = transaction.columns
        columns.signedAt = values.signedAt
        columns.originalTransactionID = values.originalTransactionId
        columns.transactionID = values.transactionId
        columns.webOrderLineItemID = values.webOrderLineItemId
        columns.appTransactionID = values.appTransactionId
        columns.purchasedAt = values.signedAt
        columns.originallyPurchasedAt = values.subscribedAt
        columns.expiresAt = values.expiresAt
        columns.storefront = values.storefront
        return columns
    }

    private func renewalColumns(_ values: HistoryValues) -> RenewalColumns {
        var columns = renewal.columns
        columns.signedAt = values.signedAt
        columns.originalTransactionID = values.originalTransactionId
        columns.appTransactionID = values.appTransactionId
        columns.subscribedAt = values.subscribedAt
        columns.renewsAt = values.expiresAt
        return columns
    }
}

/// The parts of an item that is a notification about a subscription.
struct HistoryParts {
    let notification: StoredNotification
    let transaction: StoredPart<TransactionColumns>
    let renewal: StoredPart<RenewalColumns>

    init(_ item: StoreItem) throws {
        guard case .notification(let notification) = item.content,
            case .sound(let transaction) = notification.transaction,
            case .sound(let renewal) = notification.renewal
        else { throw Failure("no notification about a subscription") }
        self.notification = notification
        self.transaction = transaction
        self.renewal = renewal
    }

    /// Returns true when both lead to the same rows. Signatures differ each time, also those inside of the outer payload.
    func isLike(_ other: HistoryParts) -> Bool {
        notification.identity == other.notification.identity
            && notification.columns == other.notification.columns
            && notification.unfit == other.notification.unfit
            && notification.jws.count == other.notification.jws.count
            && Self.isLike(transaction, other.transaction) && Self.isLike(renewal, other.renewal)
    }

    private static func isLike<Columns>(_ left: StoredPart<Columns>, _ right: StoredPart<Columns>) -> Bool {
        let dot = UInt8(ascii: ".")
        return left.columns == right.columns && left.unfit == right.unfit
            && left.jws.split(separator: dot).dropLast() == right.jws.split(separator: dot).dropLast()
            && left.jws.count == right.jws.count
    }
}
