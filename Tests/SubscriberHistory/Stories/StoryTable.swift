import SubscriberHistory
import Testing

/// What a fact must be: a value, a day, or missing for a reason.
enum Expected: Sendable, Equatable, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral
{
    case value(HistoryValue)
    case missing(MissingReason)

    init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
    init(integerLiteral value: Int64) { self = .value(.integer(value)) }
    init(stringLiteral value: String) { self = .value(.string(value)) }

    /// A time, as a number of days since the first purchase of most stories.
    static func day(_ days: Double) -> Self { .value(.date(Life.time(days))) }

    /// What a statement says.
    init(_ statement: FactStatement) {
        if let value = statement.value {
            self = .value(value)
        } else {
            self = .missing(statement.reason ?? .noValue)
        }
    }
}

/// The facts that must hold on a day.
struct Check: Sendable {
    let day: Double
    let facts: [SubscriberFact: Expected]

    static func on(_ day: Double, _ facts: [SubscriberFact: Expected]) -> Self {
        Self(day: day, facts: facts)
    }
}

/// The life of a subscriber, and what must be known of it on some days.
struct Story: Sendable, CustomTestStringConvertible {
    let name: String
    let life: @Sendable (inout Life) -> Void
    let checks: [Check]

    init(_ name: String, _ life: @escaping @Sendable (inout Life) -> Void, _ checks: Check...) {
        (self.name, self.life, self.checks) = (name, life, checks)
    }

    var testDescription: String { name }

    var payloads: SubscriberPayloads {
        var life = Life()
        self.life(&life)
        return life.payloads
    }

    /// The stories by their subject.
    static let groups: [(name: String, stories: [Story])] = [
        ("purchases", purchases), ("offers", offers), ("moreOffers", moreOffers),
        ("repeatedOffers", repeatedOffers), ("changes", changes), ("ends", ends), ("switches", switches),
        ("returns", returns), ("refunds", refunds), ("seatRefunds", seatRefunds), ("shared", shared),
        ("seats", seats), ("twins", twins), ("copies", copies),
        ("histories", histories), ("halves", halves),
        ("migrations", migrations), ("failedParts", failedParts), ("odd", odd),
    ]

    static let all = groups.flatMap(\.stories)
}
