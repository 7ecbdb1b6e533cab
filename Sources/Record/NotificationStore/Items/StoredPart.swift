/// A transaction, a renewal info or an app transaction that is to be stored: the received JWS, and the values of its payload.
public struct StoredPart<Columns: ColumnSet>: Sendable {
    /// The received JWS, in compact form.
    public let jws: [UInt8]
    /// The values that have columns.
    public let columns: Columns
    /// The names of columns whose values in the payload were of a wrong type or too large for a whole number of 64 bits.
    public let unfit: Set<String>

    /// Describes a part. `proof` belongs to this JWS.
    public init(proof: StoreProof, jws: [UInt8], columns: Columns, unfit: Set<String> = []) {
        self.jws = jws
        self.columns = columns
        self.unfit = unfit
    }
}

/// A JWS inside of a notification.
public enum NestedPart<Columns: ColumnSet>: Sendable {
    /// The JWS passed its own check. It gets a row of its own.
    case sound(StoredPart<Columns>)
    /// The JWS failed its own check for the reason with this code. It stays inside of the notification's payload, and
    /// nothing is derived from it.
    case faulty(code: String)
}
