internal import Facts
internal import JSON
internal import Rules

/// Finds numbers of paid periods that are compared for several products. Rules do not know how long the periods of a product
/// are, and twelve of them are a year of a monthly plan and twelve years of an annual one.
struct PeriodLint {
    let model: RulesModel
    let findings: Findings

    private static let periods = "paidPeriods"

    func check() {
        let products = model.products.map(\.name)
        guard products.count > 1,
            let fact = model.facts.firstIndex(where: { $0.name == Self.periods && $0.kind == .integer })
        else { return }
        let truths = ProductEvaluations(model.segments)
        var reported: Set<String> = []
        /// Searches a condition that `products` may reach.
        func search(_ condition: Condition, _ products: [String], _ path: JSONPath) {
            guard products.count > 1 else { return }
            let inner = path + [.member(condition.operation.word)]
            switch condition {
            case .all(let children):
                let valueCount = condition.valueCount
                let some = products.filter { truths.mayBe($0, condition, valueCount: valueCount) ?? false }
                for (index, child) in children.enumerated() { search(child, some, inner + [.index(index)]) }
            case .any(let children):
                for (index, child) in children.enumerated() {
                    search(child, products, inner + [.index(index)])
                }
            case .not(let child): search(child, products, inner)
            case .segment(let place):
                guard model.segments.indices.contains(place) else { return }
                let segment = model.segments[place]
                search(segment.condition, products, [.member("segments"), .member(segment.name)])
            case .predicate(let predicate):
                guard predicate.fact == .declared(fact), Self.counts(predicate),
                    reported.insert(path.text).inserted
                else { return }
                report(products, path)
            }
        }
        for (index, rule) in model.rules.enumerated() where rule.isEnabled {
            guard let condition = rule.condition else { continue }
            search(condition, products, [.member("rules"), .index(index), .member("when")])
        }
    }

    /// Returns false for a comparison that only asks whether any period was paid: that is the same for all lengths.
    private static func counts(_ predicate: Predicate) -> Bool {
        let limit: Int64 = [.greaterOrEqual, .less].contains(predicate.operation) ? 1 : 0
        return predicate.operands.contains { operand in
            if case .integer(let number) = operand { number > limit } else { false }
        }
    }

    private func report(_ products: [String], _ path: JSONPath) {
        let names = products.prefix(3).map { "\"\($0)\"" }.joined(separator: ", ")
        findings.add(
            .paidPeriods,
            "\"\(Self.periods)\" counts a year like a month, and subscribers of \(names)\(products.count > 3 ? ", …" : "") "
                + "are compared here",
            at: path,
            hint: "compare \"paidMonths\", or --ignore paid-periods where all these periods are equally long"
        )
    }
}
