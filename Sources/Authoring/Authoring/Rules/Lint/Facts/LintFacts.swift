package import Facts
internal import Rules

/// The facts of real subscribers, with which lint compares rules.
package struct LintFacts: Sendable {
    let file: FactsFile
    /// The values that a fact may have although no subscriber has one of them now, by the name of the fact.
    let possibleValues: [String: Set<String>]
    /// The numbers that a fact can have at all, by the name of the fact.
    let possibleNumbers: [String: ClosedRange<Int64>]
    /// What people write instead of a value, with that value, by the name of the fact.
    let misspellings: [String: [String: String]]
    /// The units of numbers, by the name of the fact.
    let units: [String: String]

    package init(
        _ file: FactsFile, possibleValues: [String: Set<String>] = [:],
        possibleNumbers: [String: ClosedRange<Int64>] = [:], misspellings: [String: [String: String]] = [:],
        units: [String: String] = [:]
    ) {
        self.file = file
        self.possibleValues = possibleValues
        self.possibleNumbers = possibleNumbers
        self.misspellings = misspellings
        self.units = units
    }

    /// The facts that name products: that of the running period comes first.
    package static let productFacts = ["currentProductId", "renewalProductId"]
    /// The fact that names the offer that a subscriber accepted last.
    package static let offerFact = "lastOfferIdentifier"

    /// Returns the column of a fact by its name; nil when the file has none of this kind.
    func column(_ name: String, _ kind: ValueKind) -> Int? {
        file.columns.firstIndex { $0.name == name && $0.kind == kind }
    }

    /// Returns the column in which a row has the value that a request would bring, or that the rules read. The product of a
    /// request is that of the running period.
    func column(of fact: Fact, in model: RulesModel) -> Int? {
        switch fact {
        case .productId: column(Self.productFacts[0], .string)
        case .declared(let index) where model.facts.indices.contains(index):
            column(model.facts[index].name, model.facts[index].kind)
        default: nil
        }
    }

    /// Returns the numbers of the strings that begin with `part`; of those that equal it when `isWhole`. The numbers follow the
    /// order of the bytes.
    func numbers(of part: String, isWhole: Bool) -> Range<Int> {
        let first = place { $0.utf8.lexicographicallyPrecedes(part.utf8) }
        let end = place {
            isWhole
                ? !part.utf8.lexicographicallyPrecedes($0.utf8)
                : $0.utf8.lexicographicallyPrecedes(part.utf8) || $0.utf8.starts(with: part.utf8)
        }
        return first..<max(first, end)
    }

    /// Returns the first number whose string is not `before`.
    private func place(_ before: (String) -> Bool) -> Int {
        var range = 0..<file.stringCount
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if file.string(numbered: middle).map(before) ?? false {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    /// The number of subscribers as a noun: `1 subscriber`, `200000 subscribers`.
    var subscribers: String { Self.subscribers(file.rowCount) }

    static func subscribers(_ count: Int) -> String { count == 1 ? "1 subscriber" : "\(count) subscribers" }
}
