package import SignedPayloads
internal import System

package struct StoreItem: Sendable {
    /// A content is handed on several times, so it is kept in one place and not copied.
    package indirect enum Content: Sendable {
        case notification(StoredNotification)
        /// A part that did not come in a notification. The payload of a renewal info names no app, so the caller knows it.
        case transaction(StoredPart<TransactionColumns>, app: String, environment: String)
        case renewal(StoredPart<RenewalColumns>, app: String, environment: String)
        case appTransaction(StoredPart<AppTransactionColumns>, app: String, environment: String)
    }

    package let content: Content
    package let source: StoreSource
    package let receivedAt: Int64

    package init(_ content: Content, source: StoreSource, receivedAt: Int64) {
        self.content = content
        self.source = source
        self.receivedAt = receivedAt
    }

    package init(_ notification: VerifiedPayload<SignedNotification>, source: StoreSource, receivedAt: Int64)
    {
        self.init(.notification(StoredNotification(notification)), source: source, receivedAt: receivedAt)
    }

    package init<Payload: StoredPayload>(
        _ part: VerifiedPayload<Signed<Payload>>, of owner: PayloadOwner, source: StoreSource,
        receivedAt: Int64
    ) {
        self.init(
            Payload.item(StoredPart(part), app: owner.bundleId, environment: owner.environment.rawValue),
            source: source, receivedAt: receivedAt)
    }
}

package protocol StoredPayload: Sendable {
    associatedtype Columns: ColumnSet
    var stored: (columns: Columns, unfit: Set<String>) { get }
    static func item(_ part: StoredPart<Columns>, app: String, environment: String) -> StoreItem.Content
}

extension Transaction: StoredPayload {
    package var stored: (columns: TransactionColumns, unfit: Set<String>) {
        (TransactionColumns(self), TransactionColumns.unfit(unusableMembers))
    }
    package static func item(_ part: StoredPart<TransactionColumns>, app: String, environment: String)
        -> StoreItem.Content
    { .transaction(part, app: app, environment: environment) }
}

extension RenewalInfo: StoredPayload {
    package var stored: (columns: RenewalColumns, unfit: Set<String>) {
        (RenewalColumns(self), RenewalColumns.unfit(unusableMembers))
    }
    package static func item(_ part: StoredPart<RenewalColumns>, app: String, environment: String)
        -> StoreItem.Content
    { .renewal(part, app: app, environment: environment) }
}

extension AppTransaction: StoredPayload {
    package var stored: (columns: AppTransactionColumns, unfit: Set<String>) {
        (AppTransactionColumns(self), AppTransactionColumns.unfit(unusableMembers))
    }
    package static func item(_ part: StoredPart<AppTransactionColumns>, app: String, environment: String)
        -> StoreItem.Content
    { .appTransaction(part, app: app, environment: environment) }
}

package enum StoreOutcome: Sendable, Hashable {
    case stored
    /// For a notification one of the same app, environment and UUID; for the other kinds the same JWS.
    case alreadyThere
    case tombstoned
    case notStored(NotificationStoreError)

    package var isSettled: Bool {
        if case .notStored = self { false } else { true }
    }
}

/// The proof that a JWS passed every check of a `SignedPayloadVerifier`, made only here. Nothing is stored without one.
package struct StoreProof: Sendable {
    package init<Payload>(_ payload: VerifiedPayload<Payload>) {}
}

package enum StoreSource: String, Sendable, Hashable, CaseIterable, Codable {
    case push
    case history
    case `import`
    case api
}

package struct StoredPart<Columns: ColumnSet>: Sendable {
    let received: ReceivedJWS
    /// Where the text of the JWS is in the payload of the notification around it; nil when it is written with escapes.
    let place: Range<Int>?
    package let columns: Columns
    package let unfit: Set<String>

    package var jws: [UInt8] { received.compact }

    package init(
        proof: StoreProof, _ received: ReceivedJWS, place: Range<Int>? = nil, columns: Columns,
        unfit: Set<String> = []
    ) {
        self.received = received
        self.place = place
        self.columns = columns
        self.unfit = unfit
    }

    init<Payload: StoredPayload>(_ verified: VerifiedPayload<Signed<Payload>>, place: Range<Int>? = nil)
    where Payload.Columns == Columns {
        let (columns, unfit) = verified.payload.content.stored
        self.init(
            proof: StoreProof(verified), verified.payload.received, place: place, columns: columns,
            unfit: unfit)
    }

    func text(inPayload payload: [UInt8]) -> [UInt8] {
        guard let place, place.upperBound <= payload.count else { return jws }
        return Array(payload[place])
    }
}

/// A JWS inside of a notification. A part is handed on several times, so it is kept in one place and not copied.
package indirect enum NestedPart<Columns: ColumnSet>: Sendable {
    case sound(StoredPart<Columns>)
    /// It stays inside of the notification's payload, and nothing is derived from it.
    case faulty(code: String)

    init<Payload: StoredPayload>(_ part: NotificationPart<Payload>) where Payload.Columns == Columns {
        switch part {
        case .verified(let verified, let place): self = .sound(StoredPart(verified, place: place))
        case .failed(let error): self = .faulty(code: error.code)
        }
    }

    var columns: Columns? {
        if case .sound(let part) = self { part.columns } else { nil }
    }

    var isFaulty: Bool {
        if case .faulty = self { true } else { false }
    }
}
