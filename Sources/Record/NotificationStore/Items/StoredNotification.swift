/// A notification that is to be stored: the received JWS, the values of its payload, and its nested parts.
public struct StoredNotification: Sendable {
    /// What tells the notification from every other.
    public struct Identity: Sendable, Hashable {
        /// The bundle identifier of the app.
        public let app: String
        /// The environment as Apple spells it.
        public let environment: String
        /// `notificationUUID`.
        public let uuid: String

        public init(app: String, environment: String, uuid: String) {
            self.app = app
            self.environment = environment
            self.uuid = uuid
        }
    }

    let received: ItemJWS
    /// What tells it from every other.
    public let identity: Identity
    /// The values that have columns. Identifiers that are nil here are taken from the nested parts.
    public let columns: NotificationColumns
    /// The names of columns whose values in the payload were of a wrong type or too large for a whole number of 64 bits.
    public let unfit: Set<String>
    /// `data.signedTransactionInfo`.
    public var transaction: NestedPart<TransactionColumns>?
    /// `data.signedRenewalInfo`.
    public var renewal: NestedPart<RenewalColumns>?
    /// `appData.signedAppTransactionInfo`.
    public var appTransaction: NestedPart<AppTransactionColumns>?

    /// The received JWS, the value of `signedPayload`.
    public var jws: [UInt8] { received.text }

    /// Describes a notification without nested parts. `proof` belongs to the outer JWS.
    public init(
        proof: StoreProof, jws: [UInt8], identity: Identity, columns: NotificationColumns,
        unfit: Set<String> = []
    ) {
        self.init(proof: proof, .text(jws), identity: identity, columns: columns, unfit: unfit)
    }

    /// Describes a notification without nested parts, whose JWS may be taken apart already.
    init(
        proof: StoreProof, _ received: ItemJWS, identity: Identity, columns: NotificationColumns,
        unfit: Set<String>
    ) {
        self.received = received
        self.identity = identity
        self.columns = columns
        self.unfit = unfit
    }
}
