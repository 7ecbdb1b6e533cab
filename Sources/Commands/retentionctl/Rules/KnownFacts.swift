internal import Authoring
internal import Facts
internal import Rules
internal import SubscriberHistory
internal import System

/// The facts file with which `check` compares rules.
struct KnownFacts {
    let facts: LintFacts
    let rowCount: Int

    /// Opens a facts file.
    ///
    /// - Throws: `input.other-app` when the file is for another app or environment than the rules, else what is wrong with
    ///   the file, also that it lacks a fact that the rules read.
    init(_ path: String, for input: RulesInput) throws {
        let file = try FactsSource(try CompiledFacts.checked(path), path, for: input.rules).file
        rowCount = file.rowCount
        facts = LintFacts(
            file, possibleValues: Self.possibleValues(input.enumerations),
            possibleNumbers: Self.possibleNumbers,
            misspellings: [SubscriberFact.storefront.name: StorefrontCodes.byTwoLetters], units: Self.units)
    }

    /// The values that a fact may have although no subscriber has one of them now: those of its enumeration.
    private static func possibleValues(_ declared: [String: [String]]) -> [String: Set<String>] {
        var values: [String: Set<String>] = [
            SubscriberFact.billingPlanType.name: Set(BillingPlanType.allCases.map(\.rawValue))
        ]
        for fact in SubscriberFact.allCases {
            if case .enumeration(let names)? = FactType(fact.type) {
                values[fact.name, default: []].formUnion(names)
            }
        }
        for (name, names) in declared { values[name, default: []].formUnion(names) }
        return values
    }

    /// The numbers that the facts of the store can have: counts and prices are never negative.
    private static let possibleNumbers: [String: ClosedRange<Int64>] = {
        let numbers = SubscriberFact.allCases.filter { $0.type == "int" }
        return Dictionary(
            uniqueKeysWithValues: numbers.map { ($0.name, $0 == .lastOfferType ? 2...5 : 0...Int64.max) }
        )
    }()

    private static let units: [String: String] = {
        let units: [SubscriberFact: String] = [
            .paidPeriods: "periods", .paidMonths: "months", .lastOfferType: "Apple's number of the type",
            .price: "thousandths of the currency's unit",
            .renewalPrice: "thousandths of the currency's unit",
        ]
        return Dictionary(uniqueKeysWithValues: units.map { ($0.name, $1) })
    }()
}
