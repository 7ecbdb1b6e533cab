internal import DataFiles
internal import JSON

/// Finds facts that a rule needs and most of its subscribers lack.
///
/// A subscriber counts for a fact of a rule when the rule may be for them, whatever the fact says. They lack the fact when the
/// rule then cannot match, whatever their other missing values are. So a rule that also serves subscribers without the fact,
/// or that asks with `exists` whether there is one, gives no finding.
struct MissingLint {
    let model: RulesModel
    let facts: LintFacts
    let now: Int64
    let findings: Findings

    /// A rule, prepared.
    private struct Prepared {
        let rule: Int
        let formula: FactsFormula?
        let hasSegment: Bool
        /// The columns without whose values the rule cannot match, whatever its condition says: those of its splits.
        let units: [Int]
        let columns: [Int]
        /// How many subscribers count, for each of `columns`.
        var candidates: [Int]
        /// How many of them lack the value.
        var lost: [Int]

        /// How many comparisons one row costs at most.
        var cost: Int { (formula?.size ?? 1) * 2 * columns.count }
    }

    func check() {
        let segments = model.segments.map { FactsFormula($0.condition, model, facts) }
        var prepared = prepare(segments)
        let ofSegments = segments.reduce(0) { $0 + $1.size }
        let cost = prepared.reduce(1) {
            $0 + $1.cost + 2 * $1.columns.count * ($1.hasSegment ? ofSegments : 0)
        }
        let all = facts.file.rowCount
        let limit = max(1, facts.stepLimit / cost)
        let stride = max(1, (all + limit - 1) / limit)
        var (place, seen, uncertain) = (0, 0, 0)
        let caps = CapsCheck(model, facts)
        for row in facts.file.rows {
            defer { place += 1 }
            guard place % stride == 0 else { continue }
            seen += 1
            for index in prepared.indices { count(row, segments, &prepared[index]) }
            if caps?.refuses(row) == true { uncertain += 1 }
        }
        if stride > 1 {
            let text = "the shares are those of \(LintFacts.subscribers(seen)) of \(all), evenly spread"
            findings.add(.factsSampled, text, at: [], hint: "there are too many conditions for all of them")
        }
        var reported: Set<String> = []
        for rule in prepared { report(rule, &reported) }
        if let caps, uncertain * 2 > seen { report(caps, uncertain, seen) }
    }

    private func prepare(_ segments: [FactsFormula]) -> [Prepared] {
        var ofSegments: [Set<Int>] = []
        for segment in segments { ofSegments.append(segment.columns(ofSegments)) }
        return model.rules.enumerated().compactMap { index, rule in
            guard rule.isEnabled else { return nil }
            let formula = rule.condition.map { FactsFormula($0, model, facts) }
            var splits = [rule.rollout?.unit]
            if case .variants(let variants) = rule.choice { splits.append(variants.unit) }
            let units = Set(splits.compactMap { $0.flatMap { facts.column(of: $0, in: model) } })
            let columns = (formula?.columns(ofSegments) ?? []).union(units).sorted()
            guard !columns.isEmpty else { return nil }
            return Prepared(
                rule: index,
                formula: formula,
                hasSegment: formula?.hasSegment ?? false,
                units: units.sorted(),
                columns: columns,
                candidates: Array(repeating: 0, count: columns.count),
                lost: Array(repeating: 0, count: columns.count)
            )
        }
    }

    private func count(_ row: FactsRow, _ segments: [FactsFormula], _ rule: inout Prepared) {
        for (place, column) in rule.columns.enumerated() {
            func mayMatch(_ reading: FactsRowEvaluation.Reading) -> Bool {
                guard let formula = rule.formula else { return true }
                var evaluation = FactsRowEvaluation(
                    facts.file,
                    row,
                    now: now,
                    column,
                    reading,
                    segments: segments
                )
                return evaluation.truth(of: formula).mayBeTrue
            }
            guard mayMatch(.anyValue) else { continue }
            rule.candidates[place] += 1
            guard !facts.file.isPresent(column: column, row: row) else { continue }
            if rule.units.contains(column) || !mayMatch(.unknown) { rule.lost[place] += 1 }
        }
    }

    /// Reports the facts that a rule lacks. A segment of several rules is reported for the first of them.
    private func report(_ rule: Prepared, _ reported: inout Set<String>) {
        let id = model.rules[rule.rule].id
        for (index, column) in rule.columns.enumerated() where rule.lost[index] * 2 > rule.candidates[index] {
            let name = facts.file.columns[column].name
            let share = Self.share(rule.lost[index], rule.candidates[index])
            let path = place(of: column, in: rule.rule)
            guard reported.insert(path.text).inserted else { continue }
            findings.add(
                .factOftenMissing,
                "\"\(name)\" is missing for \(share) for whom \"\(id)\" could match, and it cannot match without",
                at: path,
                hint: facts.remedies[name]
            )
        }
    }

    /// Returns the path of the first comparison with a column in a rule: in its condition, in a segment, or in a split.
    private func place(of column: Int, in rule: Int) -> JSONPath {
        let path: JSONPath = [.member("rules"), .index(rule)]
        var found: JSONPath?
        var segments: [Int] = []
        func search(_ condition: Condition, _ path: JSONPath) {
            condition.forEachLeaf(path) { leaf, place in
                if case .segment(let index) = leaf { segments.append(index) }
                guard found == nil, let fact = leaf.fact, facts.column(of: fact, in: model) == column else {
                    return
                }
                found = place
            }
        }
        if let condition = model.rules[rule].condition { search(condition, path + [.member("when")]) }
        // Segments refer only to earlier ones.
        var searched: Set<Int> = []
        while found == nil, let index = segments.popLast() {
            guard searched.insert(index).inserted, model.segments.indices.contains(index) else { continue }
            let segment = model.segments[index]
            search(segment.condition, [.member("segments"), .member(segment.name)])
        }
        if let found { return found }
        let isRollout =
            model.rules[rule].rollout.map { facts.column(of: $0.unit, in: model) == column } ?? false
        return path + [.member(isRollout ? "rollout" : "variants"), .member("unit")]
    }

    private static func share(_ count: Int, _ all: Int) -> String {
        "\(count) of \(LintFacts.subscribers(all)) (\(count * 100 / max(1, all)) %)"
    }

    private func report(_ caps: CapsCheck, _ count: Int, _ all: Int) {
        let name = facts.file.columns[caps.column].name
        let share = Self.share(count, all)
        findings.add(
            .factOftenMissing,
            "the cap refuses every offer to \(share): \"\(name)\" is missing for most of them",
            at: [.member("caps"), .member("offer")],
            hint: facts.remedies[name]
        )
    }
}

/// The caps, as they refuse an offer to a subscriber whose offers are not known.
private struct CapsCheck {
    /// The column that decides first.
    let column: Int
    private let accepted: Int?
    private let last: Int?
    private let facts: LintFacts

    /// Prepares the caps; nil when they refuse nobody for lack of a fact.
    init?(_ model: RulesModel, _ facts: LintFacts) {
        guard let caps = model.caps, !caps.allowsUnknown else { return nil }
        let hasOffer = model.placedOutcomes.contains { place in
            if case .offer = place.outcome { true } else { false }
        }
        func column(_ fact: Fact?) -> Int? { fact.flatMap { facts.column(of: $0, in: model) } }
        let last = column(caps.lastFact)
        let accepted = column(caps.acceptedFact)
        guard hasOffer, let first = accepted ?? last else { return nil }
        (self.column, self.accepted, self.last, self.facts) = (first, accepted, last, facts)
    }

    /// Returns true when the caps refuse an offer because they lack a fact.
    func refuses(_ row: FactsRow) -> Bool {
        let file = facts.file
        if let accepted {
            guard let count = file.integer(column: accepted, row: row) else { return true }
            if count <= 0 { return false }
        }
        return last.map { file.date(column: $0, row: row) == nil } ?? false
    }
}
