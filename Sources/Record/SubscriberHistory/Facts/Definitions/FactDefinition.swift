/// What a fact means, for the people who write rules with it. `retention-facts(5)` shows these definitions.
public struct FactDefinition: Sendable {
    /// A member of one of Apple's payloads.
    public struct Field: Sendable, Hashable {
        /// The payload that has the member.
        public let payload: Evidence.Kind
        /// The name that Apple gives the member.
        public let name: String

        /// The member as the manual writes it: `transaction.price`.
        public var text: String { "\(payload.rawValue).\(name)" }
    }

    public let fact: SubscriberFact
    /// The unit of a number; nil when the value is no number.
    public let unit: String?
    /// What the value says, in whole sentences.
    public let meaning: String
    /// The members from which the value follows.
    public let fields: [Field]
    /// Every reason for which the fact can be missing.
    public let reasons: Set<MissingReason>
    /// When the fact is missing, and why no value would be right then.
    public let absence: String
    /// A subscriber, and the value of the fact for that subscriber.
    public let example: String

    /// Makes a definition. `transaction`, `renewal` and `notification` are names of members, separated by spaces.
    init(
        _ fact: SubscriberFact, unit: String? = nil, _ meaning: String, transaction: String = "",
        renewal: String = "", notification: String = "", missing reasons: Set<MissingReason>,
        _ absence: String, example: String
    ) {
        self.fact = fact
        self.unit = unit
        self.meaning = meaning
        func members(_ payload: Evidence.Kind, _ names: String) -> [Field] {
            names.split(separator: " ").map { Field(payload: payload, name: String($0)) }
        }
        fields =
            members(.transaction, transaction) + members(.renewal, renewal)
            + members(.notification, notification)
        self.reasons = reasons
        self.absence = absence
        self.example = example
    }

    /// The definitions of all facts, in the order of ``SubscriberFact``.
    public static let all: [FactDefinition] = {
        let definitions = ofPlan + ofTimes + ofOffers + ofPrices + ofEvents + ofIdentity
        let places = SubscriberFact.allCases.enumerated().map { ($1, $0) }
        let order = Dictionary(uniqueKeysWithValues: places)
        return definitions.sorted { (order[$0.fact] ?? 0) < (order[$1.fact] ?? 0) }
    }()

    /// Returns the definition of a fact by its name in rules; nil when no fact of the store has the name.
    public static func named(_ name: String) -> FactDefinition? { all.first { $0.fact.name == name } }
}

extension Set<MissingReason> {
    /// The reasons of a fact that the running period's transaction has.
    static let ofTransaction: Self = [.noTransaction, .noValue, .unfitValue, .historyIncomplete]
    /// The reasons of a fact that the latest renewal info has.
    static let ofRenewal: Self = [.noRenewalInfo, .noValue, .unfitValue]
    /// The reasons of a fact that needs to know what came after the last known period.
    static let ofPresent: Self = [
        .noTransaction, .noStatus, .unfitValue, .unknownValue, .ended, .historyIncomplete,
    ]
}

extension FactDefinition {
    /// When a fact is missing that the running period's transaction has.
    static let noTransaction =
        "Missing when the store has no transaction of the running period, of which only another payload tells, or when "
        + "Apple's transaction has no such value: an older period may have had another one."
    /// When a fact is missing that the latest renewal info has.
    static let noRenewal =
        "Missing when the store has no renewal info that is as new as the running period: an older one says "
        + "nothing about the coming renewal. One that did not pass its check changes nothing."
    /// When a count over the whole life is missing.
    static let noLife =
        "Missing when a part of the subscriber's life is unknown: a count of the known part would be too "
        + "low, and a long customer would look like a new one."
}
