internal import Facts
internal import JSON
internal import Rules
internal import System

/// Finds texts, numbers, products and offers in rules that no subscriber has. It reads each row of the facts.
struct ValueLint {
    let model: RulesModel
    let facts: LintFacts
    let findings: Findings

    /// A text of the rules.
    private struct Use {
        let text: String
        let isWhole: Bool
        let path: JSONPath
        let check: LintCheck
    }

    func check() {
        var uses: [Int: [Use]] = [:]
        var numbers: [Int: [(predicate: Predicate, path: JSONPath)]] = [:]
        for (condition, path) in model.placedConditions {
            condition.forEachLeaf(path) { leaf, place in
                guard case .predicate(let predicate) = leaf, predicate.operation != .exists,
                    let column = facts.column(of: predicate.fact, in: model)
                else { return }
                switch facts.file.columns[column].kind {
                case .string: uses[column, default: []] += Self.uses(of: predicate, place)
                case .integer: numbers[column, default: []].append((predicate, place))
                case .boolean, .date: break
                }
            }
        }
        addServed(to: &uses)
        for column in Set(uses.keys).union(numbers.keys).sorted() {
            let asked = (uses[column] ?? []).map { facts.numbers(of: $0.text, isWhole: $0.isWhole) }
            let profile = FactsProfile(column, facts, asked: Set(asked))
            // Where nobody has a value, the rules are not wrong about it.
            guard profile.presentCount > 0 else { continue }
            for (use, range) in zip(uses[column] ?? [], asked) where profile.occurring[range] == false {
                report(use, column, profile)
            }
            for (predicate, path) in numbers[column] ?? [] { report(predicate, path, column, profile) }
        }
    }

    private static func uses(of predicate: Predicate, _ path: JSONPath) -> [Use] {
        let isProduct = predicate.fact == .productId
        let key = JSONPathComponent.member(predicate.operation.word)
        var (isWhole, isList) = (true, false)
        switch predicate.operation.operand {
        case .part: isWhole = false
        case .list: isList = true
        default: break
        }
        return predicate.operands.enumerated().compactMap { index, operand in
            guard case .string(let text) = operand else { return nil }
            return Use(
                text: text, isWhole: isWhole, path: path + (isList ? [key, .index(index)] : [key]),
                check: isProduct ? .productNeverOccurs : .valueNeverOccurs)
        }
    }

    /// Adds the products and offers that the rules serve.
    private func addServed(to uses: inout [Int: [Use]]) {
        let product = facts.column(LintFacts.productFacts[0], .string)
        let offer = facts.column(LintFacts.offerFact, .string)
        func add(_ text: String, _ column: Int?, _ path: JSONPath, _ check: LintCheck) {
            guard let column else { return }
            uses[column, default: []].append(Use(text: text, isWhole: true, path: path, check: check))
        }
        for (outcome, path, _) in model.placedOutcomes {
            switch outcome {
            case .switch(_, let target, _):
                add(target, product, path + [.member("productId")], .unsoldProduct)
            case .offer(_, let target, let identifier):
                add(target, product, path + [.member("productId")], .unsoldProduct)
                add(identifier, offer, path + [.member("offerIdentifier")], .unredeemedOffer)
            case .nothing, .message, .advancedCommerce: break
            }
        }
    }

    private func report(_ use: Use, _ column: Int, _ profile: FactsProfile) {
        let name = facts.file.columns[column].name
        let isPossible = facts.possibleValues[name]?.contains { value in
            use.isWhole ? value.utf8.elementsEqual(use.text.utf8) : value.utf8.starts(with: use.text.utf8)
        }
        guard isPossible != true else { return }
        let verb = use.isWhole ? "is" : "begins with"
        findings.add(
            use.check,
            "\"\(name)\" \(verb) \"\(use.text)\" for none of \(LintFacts.subscribers(profile.presentCount))",
            at: use.path, hint: hint(use.text, name, among: profile.texts(facts.file)))
    }

    /// Returns a hint with the known spelling of a text, if the subscribers have such spellings, or a hint with their values.
    private func hint(_ text: String, _ name: String, among values: [String]) -> String? {
        let spellings = facts.misspellings[name] ?? [:]
        guard let right = spellings[text.uppercased()],
            !Set(spellings.values).isDisjoint(with: values)
        else { return Self.hint(text, among: values) }
        return "did you mean \"\(right)\"?"
    }

    /// Returns a hint with the values that look like a text, or else with some values.
    private static func hint(_ text: String, among values: [String]) -> String? {
        let word = text.lowercased()
        func isLonger(_ value: String) -> Bool {
            let other = value.lowercased()
            return word.utf8.count > 1
                && (other.hasPrefix(word) || (word.hasPrefix(other) && other.utf8.count > 1))
        }
        if let near = Spelling.nearest(to: text, among: values) { return "did you mean \"\(near)\"?" }
        let longer = values.filter(isLonger).prefix(shownCount).map { "\"\($0)\"" }
        if let last = longer.last {
            let others = longer.dropLast().joined(separator: ", ")
            return "did you mean " + (others.isEmpty ? "\(last)?" : "\(others) or \(last)?")
        }
        let some = values.prefix(shownCount).map { "\"\($0)\"" }.joined(separator: ", ")
        return values.count > shownCount ? "there are \(some) and others" : "there are \(some)"
    }

    private static let shownCount = 4

    /// Reports numbers that the fact can never have, and numbers beyond those of the subscribers, of which a comparison tells
    /// nobody apart. A number next to the least or the greatest is no mistake: it asks for the next one to come.
    private func report(_ predicate: Predicate, _ path: JSONPath, _ column: Int, _ profile: FactsProfile) {
        guard let range = profile.range else { return }
        let name = facts.file.columns[column].name
        let key = JSONPathComponent.member(predicate.operation.word)
        for (index, operand) in predicate.operands.enumerated() {
            guard case .integer(let number) = operand else { continue }
            let found: (check: LintCheck, message: String)
            if let possible = facts.possibleNumbers[name],
                Self.neverMatches(predicate.operation, number, isLast: index > 0, possible)
            {
                found = (.numberOutOfRange, Self.message(name, number, possible))
            } else if let message = Self.message(name, number, beyond: range, profile.presentCount) {
                found = (.numberNotSeen, message)
            } else {
                continue
            }
            let isSingle = predicate.operation.operand == .value
            findings.add(
                found.check,
                found.message,
                at: path + (isSingle ? [key] : [key, .index(index)]),
                hint: facts.units[name].map { "the unit is \($0)" }
            )
        }
    }

    /// Returns true when a comparison with a number matches none of the possible numbers. `isLast` is true for the second
    /// number of a range.
    private static func neverMatches(
        _ operation: ConditionOperation, _ number: Int64, isLast: Bool, _ possible: ClosedRange<Int64>
    ) -> Bool {
        switch operation {
        case .equal, .isIn: !possible.contains(number)
        case .less: number <= possible.lowerBound
        case .lessOrEqual: number < possible.lowerBound
        case .greater: number >= possible.upperBound
        case .greaterOrEqual: number > possible.upperBound
        case .between: isLast ? number < possible.lowerBound : number > possible.upperBound
        default: false
        }
    }

    private static func message(_ name: String, _ number: Int64, _ possible: ClosedRange<Int64>) -> String {
        let extent =
            possible.upperBound == .max
            ? "is never below \(possible.lowerBound)"
            : "is always from \(possible.lowerBound) to \(possible.upperBound)"
        return "\"\(name)\" \(extent), so the comparison with \(number) never matches"
    }

    /// Returns the message about a number that lies beyond those of the subscribers; nil when the number does not.
    private static func message(
        _ name: String, _ number: Int64, beyond range: ClosedRange<Int64>, _ count: Int
    ) -> String? {
        let isBelow =
            number.addingReportingOverflow(1).partialValue < range.lowerBound && number < range.lowerBound
        let isAbove =
            number.subtractingReportingOverflow(1).partialValue > range.upperBound
            && number > range.upperBound
        guard isBelow || isAbove else { return nil }
        let values =
            range.lowerBound == range.upperBound
            ? "\(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        return "\"\(name)\" is \(values) for all \(LintFacts.subscribers(count)) who have it, "
            + "and \(number) is \(isBelow ? "below" : "above")"
    }
}
