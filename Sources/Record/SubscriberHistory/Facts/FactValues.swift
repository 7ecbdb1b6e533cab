/// The values of facts about a subscriber at a time. A missing fact has none.
public struct FactValues: Sendable, Hashable {
    /// A place for each fact, in the order of ``SubscriberFact``: looking into a dictionary takes longer.
    private var places: [HistoryValue?]

    /// Makes values without any fact.
    public init() {
        places = [HistoryValue?](repeating: nil, count: Self.facts.count)
    }

    /// The value of a fact; nil when the fact is missing.
    public subscript(fact: SubscriberFact) -> HistoryValue? {
        get { places[fact.rawValue] }
        set { places[fact.rawValue] = newValue }
    }

    /// The facts in their order.
    static let facts = SubscriberFact.allCases
}

extension FactDerivation {
    /// The values of the facts.
    var values: FactValues {
        FactValues.facts.reduce(into: FactValues()) { $0[$1] = statement(of: $1).value }
    }
}
