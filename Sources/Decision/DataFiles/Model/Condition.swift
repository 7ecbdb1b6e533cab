/// What must be true of a request and its subscriber.
///
/// Equality and lists take values of every kind; the order and ``between(_:_:_:)`` take dates and integers; the ages
/// take dates.
public indirect enum Condition: Sendable, Hashable {
    /// All of them; at least one.
    case all([Condition])
    /// Some of them; at least one.
    case any([Condition])
    /// The opposite.
    case not(Condition)
    /// A fact compared with a value.
    case equal(Fact, FactValue)
    /// True when ``equal(_:_:)`` is false.
    case notEqual(Fact, FactValue)
    /// A fact looked up in a list of at least one value.
    case isIn(Fact, [FactValue])
    /// True when ``isIn(_:_:)`` is false.
    case isNotIn(Fact, [FactValue])
    /// The beginning of a string fact.
    case prefix(Fact, String)
    /// The fact is greater, or later.
    case greater(Fact, FactValue)
    /// The fact is greater, or later, or the same.
    case greaterOrEqual(Fact, FactValue)
    /// The fact is less, or earlier.
    case less(Fact, FactValue)
    /// The fact is less, or earlier, or the same.
    case lessOrEqual(Fact, FactValue)
    /// Whether there is a value, or for false whether there is none. Never unknown.
    case exists(Fact, Bool)
    /// The fact lies between two values of which the first is not the greater one; both count.
    case between(Fact, FactValue, FactValue)
    /// More than so many days of 86,400 s have passed since the date; 0 to ``DataFileLimits/dayCount``.
    case olderThanDays(Fact, Int64)
    /// Fewer than so many days of 86,400 s have passed since the date.
    case youngerThanDays(Fact, Int64)
    /// The condition of the segment at this place in ``RulesModel/segments``.
    case segment(Int)

    /// How deep `all`, `any` and `not` nest; 0 for a predicate and for a segment, whose own depth counts by itself.
    public var depth: Int {
        switch self {
        case .all(let children), .any(let children): 1 + (children.map(\.depth).max() ?? 0)
        case .not(let child): 1 + child.depth
        default: 0
        }
    }
}
