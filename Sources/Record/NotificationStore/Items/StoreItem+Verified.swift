public import SignedPayloads
internal import Vocabulary

extension StoreItem {
    /// Takes over a verified notification with its nested parts.
    ///
    /// A part that failed its own check is marked with the code of its error, and nothing is derived from it.
    public init(_ notification: VerifiedPayload<SignedNotification>, source: StoreSource, receivedAt: Int64) {
        self.init(.notification(StoredNotification(notification)), source: source, receivedAt: receivedAt)
    }

    /// Takes over a verified transaction that did not come in a notification.
    public init(
        _ transaction: VerifiedPayload<Signed<Transaction>>, of owner: PayloadOwner, source: StoreSource,
        receivedAt: Int64
    ) {
        self.init(
            .transaction(
                StoredPart(transaction), app: owner.bundleId, environment: owner.environment.rawValue),
            source: source, receivedAt: receivedAt)
    }

    /// Takes over a verified renewal info that did not come in a notification.
    public init(
        _ renewal: VerifiedPayload<Signed<RenewalInfo>>, of owner: PayloadOwner, source: StoreSource,
        receivedAt: Int64
    ) {
        self.init(
            .renewal(StoredPart(renewal), app: owner.bundleId, environment: owner.environment.rawValue),
            source: source, receivedAt: receivedAt)
    }

    /// Takes over a verified app transaction that did not come in a notification.
    public init(
        _ appTransaction: VerifiedPayload<Signed<AppTransaction>>, of owner: PayloadOwner,
        source: StoreSource, receivedAt: Int64
    ) {
        self.init(
            .appTransaction(
                StoredPart(appTransaction), app: owner.bundleId, environment: owner.environment.rawValue),
            source: source, receivedAt: receivedAt)
    }
}

extension StoredNotification {
    fileprivate init(_ verified: VerifiedPayload<SignedNotification>) {
        let notification = verified.payload
        let content = notification.content
        self.init(
            proof: StoreProof(verified), .parts(notification.received),
            identity: Identity(
                app: notification.owner.bundleId, environment: notification.owner.environment.rawValue,
                uuid: content.notificationUUID), columns: NotificationColumns(content),
            unfit: NotificationColumns.unfit(content.unusableMembers))
        transaction = notification.transaction.map { NestedPart($0) { StoredPart($0, place: $1) } }
        renewal = notification.renewalInfo.map { NestedPart($0) { StoredPart($0, place: $1) } }
        appTransaction = notification.appTransaction.map { NestedPart($0) { StoredPart($0, place: $1) } }
    }
}

extension NestedPart {
    fileprivate init<Content>(
        _ part: NotificationPart<Content>,
        _ take: (VerifiedPayload<Signed<Content>>, Range<Int>?) -> StoredPart<Columns>
    ) {
        switch part {
        case .verified(let verified, let place): self = .sound(take(verified, place))
        case .failed(let error): self = .faulty(code: error.code)
        }
    }
}

extension StoredPart where Columns == TransactionColumns {
    fileprivate init(_ verified: VerifiedPayload<Signed<Transaction>>, place: Range<Int>? = nil) {
        let content = verified.payload.content
        self.init(
            proof: StoreProof(verified), .parts(verified.payload.received), place: place,
            columns: TransactionColumns(content), unfit: TransactionColumns.unfit(content.unusableMembers))
    }
}

extension StoredPart where Columns == RenewalColumns {
    fileprivate init(_ verified: VerifiedPayload<Signed<RenewalInfo>>, place: Range<Int>? = nil) {
        let content = verified.payload.content
        self.init(
            proof: StoreProof(verified), .parts(verified.payload.received), place: place,
            columns: RenewalColumns(content), unfit: RenewalColumns.unfit(content.unusableMembers))
    }
}

extension StoredPart where Columns == AppTransactionColumns {
    fileprivate init(_ verified: VerifiedPayload<Signed<AppTransaction>>, place: Range<Int>? = nil) {
        let content = verified.payload.content
        self.init(
            proof: StoreProof(verified), .parts(verified.payload.received), place: place,
            columns: AppTransactionColumns(content),
            unfit: AppTransactionColumns.unfit(content.unusableMembers))
    }
}
