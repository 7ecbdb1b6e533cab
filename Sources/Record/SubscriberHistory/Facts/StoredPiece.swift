/// The facts of a piece as they stand in the bytes of the store, all of which were checked. A value is made when somebody asks for
/// it.
public struct StoredPiece: Sendable {
    /// The first time, milliseconds since 1970.
    public internal(set) var from = Int64.min
    /// A bit for each fact that has a value.
    var present: Int64 = 0
    /// Where the value of each fact stands that has one.
    var places = InlineArray<40, UInt32>(repeating: 0)
    private let bytes: [UInt8]

    /// Makes a piece without facts.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the value of a fact that is a number, a date in milliseconds since 1970, or a Boolean as 0 or 1; nil when the fact is
    /// missing or a text.
    public func number(_ fact: SubscriberFact) -> Int64? {
        guard present & fact.bit != 0 else { return nil }
        let place = Int(places[fact.rawValue])
        return switch fact.kind {
        case .boolean: Int64(bytes[place])
        case .integer, .date: bytes.integer(at: place)
        case .string: nil
        }
    }

    /// Calls a function with the bytes of a fact that is a text. They are UTF-8 unless the state is damaged.
    ///
    /// - Returns: what the function returned; nil when the fact is missing or no text.
    public func withText<Result, Failure: Error>(
        _ fact: SubscriberFact,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let range = textRange(fact) else { return nil }
        return try body(bytes.span.extracting(range))
    }

    private func textRange(_ fact: SubscriberFact) -> Range<Int>? {
        guard present & fact.bit != 0, fact.kind == .string else { return nil }
        let place = Int(places[fact.rawValue])
        let begin = place + 8
        return begin..<begin + Int(bytes.integer(at: place))
    }

    /// Returns the value of a fact; nil when the fact is missing.
    public func value(_ fact: SubscriberFact) -> HistoryValue? {
        switch fact.kind {
        case .boolean: number(fact).map { HistoryValue.boolean($0 == 1) }
        case .integer: number(fact).map(HistoryValue.integer)
        case .date: number(fact).map(HistoryValue.date)
        case .string: textRange(fact).map { HistoryValue.string(String(decoding: bytes[$0], as: UTF8.self)) }
        }
    }
}

extension FactPiece {
    /// Makes all values of a piece.
    public init(_ piece: StoredPiece) {
        from = piece.from
        values = FactValues.facts.reduce(into: FactValues()) { $0[$1] = piece.value($1) }
    }
}

extension SubscriberFact {
    /// The bit of the fact.
    var bit: Int64 { 1 << Int64(rawValue) }

    /// The bits of all facts.
    static let allBits: Int64 = (1 << Int64(allCases.count)) - 1
}

extension [UInt8] {
    /// The eight bytes at a place as a little-endian number.
    func integer(at place: Int) -> Int64 {
        var number: UInt64 = 0
        for offset in (0..<8).reversed() { number = number << 8 | UInt64(self[place + offset]) }
        return Int64(bitPattern: number)
    }
}
