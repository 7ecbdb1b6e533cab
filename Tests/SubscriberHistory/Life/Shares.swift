import SubscriberHistory

/// How many facts are missing that have a value in reality.
struct Shares {
    private var counts: [SubscriberFact: (missing: Int, all: Int)] = [:]

    mutating func add(_ statement: FactStatement) {
        // A fact without a value in reality is not missing. Few in the worlds have a billing plan, and nobody has a SKU.
        if statement.reason == .neverHappened || statement.reason == .noValue { return }
        if [.billingPlanType, .advancedCommerceSku].contains(statement.fact) { return }
        counts[statement.fact, default: (0, 0)].all += 1
        if statement.value == nil { counts[statement.fact, default: (0, 0)].missing += 1 }
    }

    /// How many facts were looked at.
    var count: Int { counts.values.reduce(0) { $0 + $1.all } }

    /// The share of all facts, in percent.
    var total: Double { Double(counts.values.reduce(0) { $0 + $1.missing }) * 100 / Double(max(count, 1)) }

    /// The share of one fact, in percent; nil when it was never looked at.
    subscript(fact: SubscriberFact) -> Double? {
        counts[fact].map { Double($0.missing) * 100 / Double(max($0.all, 1)) }
    }

    /// The facts that are missing most often.
    var text: String {
        let shares = SubscriberFact.allCases.compactMap { fact in self[fact].map { (fact.name, $0) } }
        let most = shares.sorted { ($0.1, $1.0) > ($1.1, $0.0) }.prefix(5)
        return "\(Self.round(total)) % of \(count), most often "
            + most.map { "\($0.0) \(Self.round($0.1)) %" }.joined(separator: ", ")
    }

    private static func round(_ share: Double) -> Double { (share * 10).rounded() / 10 }
}
