/// A transaction, a renewal info or an app transaction that is to be stored: the received JWS, and the values of its payload.
public struct StoredPart<Columns: ColumnSet>: Sendable {
    let received: ItemJWS
    /// Where the text of the JWS is in the payload of the notification around it; nil when that is not known.
    let place: Range<Int>?
    public let columns: Columns
    /// The names of columns whose values in the payload were of a wrong type or too large for a whole number of 64 bits.
    public let unfit: Set<String>

    /// The received JWS, in compact form.
    public var jws: [UInt8] { received.text }

    /// Describes a part. `proof` belongs to this JWS.
    public init(proof: StoreProof, jws: [UInt8], columns: Columns, unfit: Set<String> = []) {
        self.init(proof: proof, .text(jws), columns: columns, unfit: unfit)
    }

    /// Describes a part whose text was found in the notification at `place`.
    init(
        proof: StoreProof, _ received: ItemJWS, place: Range<Int>? = nil, columns: Columns, unfit: Set<String>
    ) {
        self.received = received
        self.place = place
        self.columns = columns
        self.unfit = unfit
    }
}

extension StoredPart {
    /// Returns the text of the JWS, of the decoded payload of the notification around it when the place is known.
    func text(inPayload payload: [UInt8]?) -> [UInt8] {
        guard let payload, let place, place.upperBound <= payload.count else { return jws }
        return Array(payload[place])
    }
}

/// A JWS inside of a notification. A part is handed on several times, so it is kept in one place and not copied.
public indirect enum NestedPart<Columns: ColumnSet>: Sendable {
    /// The JWS passed its own check. It gets a row of its own.
    case sound(StoredPart<Columns>)
    /// The JWS failed its own check for the reason with this code. It stays inside of the notification's payload, and
    /// nothing is derived from it.
    case faulty(code: String)
}
