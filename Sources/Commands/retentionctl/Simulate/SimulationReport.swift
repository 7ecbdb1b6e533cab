internal import Catalogue
internal import CommandLineTool
internal import JSON
internal import Rules
internal import System

/// What a simulation says: the same numbers as text, JSON and a page.
struct SimulationReport {
    private let simulation: Simulation
    private let names: (rules: String, against: String?, facts: String)
    private let comparison: DecisionComparison
    private let groups: [Group]
    private let counts: SimulationCounts

    private struct Group {
        let new: NamedDecision
        let changes: Bool
        let decision: Decision
        let old: Decision?
        /// What the holdout keeps from the subscriber.
        let shadow: NamedDecision?
        let count: Int
    }

    init(
        _ simulation: Simulation, _ counts: SimulationCounts, rules: String, against: String?, facts: String
    ) {
        self.simulation = simulation
        self.counts = counts
        // The page goes to people who do not know the directories of this machine.
        names = (
            AtomicFile.split(rules).name, against.map { AtomicFile.split($0).name },
            AtomicFile.split(facts).name
        )
        let new = simulation.new.rules
        let old = simulation.old?.rules ?? new
        var comparison = DecisionComparison(old: old, new: new)
        groups = counts.groups.map { group in
            let change = DecisionComparison.Change(
                old: NamedDecision(group.old ?? group.new, in: old, draws: false),
                new: NamedDecision(group.new, in: new, draws: false))
            comparison.add(change, count: group.count)
            return Group(
                new: change.new, changes: change.isOfAnswer, decision: group.new, old: group.old,
                shadow: group.new.isHeldOut ? NamedDecision(shadowOf: group.new, in: new) : nil,
                count: group.count)
        }
        self.comparison = comparison
    }

    // MARK: Numbers

    /// What becomes of some of the subscribers.
    private struct Totals {
        var subscribers = 0
        var answered = 0
        var nothing = 0
        var heldOut = 0
        var capped = 0
        var withoutLocale = 0

        mutating func add(_ decision: Decision, _ count: Int) {
            subscribers += count
            if decision.outcome == .nothing { nothing += count } else { answered += count }
            if decision.isHeldOut {
                heldOut += count
            } else {
                if decision.skipped.capped > 0 { capped += count }
                if decision.skipped.noLocale > 0 { withoutLocale += count }
            }
        }

        var named: [(name: String, words: String, count: Int)] {
            [
                ("subscribers", "subscribers", subscribers), ("answered", "answered", answered),
                ("nothing", "nothing served", nothing), ("heldOut", "held out", heldOut),
                ("capped", "capped", capped), ("withoutLocale", "without locale", withoutLocale),
            ]
        }
    }

    private var totals: Totals { groups.reduce(into: Totals()) { $0.add($1.decision, $1.count) } }

    private var oldTotals: Totals? {
        simulation.old.map { _ in
            groups.reduce(into: Totals()) { $0.add($1.old ?? $1.decision, $1.count) }
        }
    }

    /// One of the rules, of its arms, or of the reasons, with the subscribers whom it decides.
    private struct Reach {
        let source: NamedDecision.Source
        let arm: String?
        let count: (old: Int, new: Int)
        /// How many of the held-out it would decide without the holdout.
        let heldOut: Int
    }

    private var reach: [Reach] {
        var shadows: [NamedDecision.Origin: Int] = [:]
        for group in groups {
            for origin in group.shadow?.origins ?? [] { shadows[origin, default: 0] += group.count }
        }
        return comparison.sources.flatMap { source -> [Reach] in
            let arms: [String?] = [nil] + comparison.arms(of: source)
            return arms.map { arm in
                Reach(
                    source: source, arm: arm, count: comparison.count(of: source, arm: arm),
                    heldOut: shadows[NamedDecision.Origin(source, arm: arm)] ?? 0)
            }
        }.filter { reach in
            // That a rule reaches nobody is worth knowing.
            if case .rule = reach.source { return true }
            return reach.count.old + reach.count.new + reach.heldOut > 0
        }
    }

    /// The rules of a file and its default, with the number of decisions in which they failed at each step.
    private func failures(_ rules: RulesFile, _ counts: [Int]) -> [(name: String, counts: [Int])] {
        let steps = RuleStep.allCases.count
        return (0...rules.ruleCount).compactMap { rule in
            let own = Array(counts[rule * steps..<(rule + 1) * steps])
            let name = rules.ruleID(at: rule).map { NamedDecision.Source.rule($0).name } ?? "default"
            return own.allSatisfy { $0 == 0 } ? nil : (name, own)
        }
    }

    private struct ValueRow {
        let value: String
        var totals = Totals()
        var changed = 0
        var sources: [NamedDecision.Source: Int] = [:]
    }

    private static let rowLimit = 50
    private static let leastCount = 20

    /// The values by the number of their subscribers. The last row may be what is folded.
    private func rows(_ breakdown: Breakdown) -> [ValueRow] {
        func add(_ counts: [Int], to row: inout ValueRow) {
            for (group, count) in zip(groups, counts) where count > 0 {
                row.totals.add(group.decision, count)
                if group.changes { row.changed += count }
                row.sources[group.new.source, default: 0] += count
            }
        }
        var rows = breakdown.counts.map { value, counts in
            var row = ValueRow(value: value.isEmpty ? "-" : value)
            add(counts, to: &row)
            return (row, counts)
        }
        rows.sort { ($1.0.totals.subscribers, $0.0.value) < ($0.0.totals.subscribers, $1.0.value) }
        let shown = rows.prefix(Self.rowLimit).prefix {
            $0.0.totals.subscribers >= Self.leastCount && $0.0.value != Breakdown.others
        }
        let folded = rows.dropFirst(shown.count)
        guard !folded.isEmpty else { return shown.map(\.0) }
        var others = ValueRow(value: "others (\(folded.count))")
        for (_, counts) in folded { add(counts, to: &others) }
        return shown.map(\.0) + [others]
    }

    private var breakdowns: [(name: String, title: String, rows: [ValueRow])] {
        [
            ("products", "product", rows(counts.products)), ("locales", "locale", rows(counts.locales)),
            ("storefronts", "storefront", counts.storefronts.map(rows) ?? []),
        ].filter { !$0.rows.isEmpty }
    }

    /// The changes that are shown; the others are counted together.
    private var changes: (shown: [DecisionComparison.Group], foldedCount: Int, foldedSubscribers: Int) {
        let all = comparison.changes
        let shown = all.prefix(Self.rowLimit).prefix { $0.count >= Self.leastCount }
        let folded = all.dropFirst(shown.count)
        return (Array(shown), folded.count, folded.reduce(0) { $0 + $1.count })
    }

    // MARK: Tables

    /// The head and the rows; the first column has words, the others have numbers.
    private typealias Table = [[String]]

    private func text(_ count: Int) -> String { NumberText.count(count) }

    private func cell(_ count: Int) -> String {
        (1..<Self.leastCount).contains(count) ? "<\(Self.leastCount)" : text(count)
    }

    private var totalsTable: Table {
        let old = oldTotals?.named
        return [[""] + sides + ["share"]]
            + totals.named.enumerated().map { place, total in
                [total.words] + (old.map { [text($0[place].count)] } ?? []) + [text(total.count)]
                    + [comparison.share(total.count)]
            }
    }

    /// The columns of the two files, under their names.
    private var sides: [String] { [names.against, names.rules].compactMap { $0 } }

    private var reachTable: Table {
        let hasHoldout = totals.heldOut > 0
        return [["decided by"] + sides + ["share"] + (hasHoldout ? ["if not held out"] : [])]
            + reach.map { reach in
                [reach.arm.map { "  \($0)" } ?? reach.source.name]
                    + (simulation.old == nil ? [] : [text(reach.count.old)])
                    + [text(reach.count.new), comparison.share(reach.count.new)]
                    + (hasHoldout ? ["+\(text(reach.heldOut))"] : [])
            }
    }

    private func failureTable(_ title: String, _ rules: RulesFile, _ counts: [Int]) -> Table? {
        let rows = failures(rules, counts)
        let steps = RuleStep.allCases.filter { step in rows.contains { $0.counts[step.rawValue] > 0 } }
        guard !steps.isEmpty else { return nil }
        return [[title] + steps.map { "\($0)" }]
            + rows.map { row in [row.name] + steps.map { text(row.counts[$0.rawValue]) } }
    }

    private var failureTables: [Table] {
        let (new, counts) = (simulation.new.rules, counts)
        guard let old = simulation.old?.rules, let name = names.against else {
            return [failureTable("failed at a step", new, counts.failures)].compactMap { $0 }
        }
        return [
            failureTable("failed in \(name)", old, counts.oldFailures),
            failureTable("failed in \(names.rules)", new, counts.failures),
        ].compactMap { $0 }
    }

    private func valueTable(_ title: String, _ rows: [ValueRow]) -> Table {
        let isCompared = simulation.old != nil
        return [[title] + Totals().named.map(\.words) + (isCompared ? ["changed"] : [])]
            + rows.map { row in
                [row.value] + row.totals.named.map { cell($0.count) }
                    + (isCompared ? [cell(row.changed)] : [])
            }
    }

    private func sourceTable(_ title: String, _ rows: [ValueRow]) -> Table {
        let sources = comparison.sources.filter { comparison.count(of: $0).new > 0 }
        return [[title] + sources.map(\.name)]
            + rows.map { row in [row.value] + sources.map { cell(row.sources[$0] ?? 0) } }
    }

    // MARK: Text

    private var summary: [String] {
        let count = comparison.requestCount
        var lines = [
            "\(names.facts): \(NumberText.count(count, "subscriber")) at \(FactText.date(simulation.nowMilliseconds)), "
                + "facts \(DurationText.of(simulation.ageSeconds * 1000)) old, "
                + "products \(simulation.requests.hasProductsOfFacts ? "of the facts" : "drawn"), locales drawn"
        ]
        if simulation.old != nil {
            let changed = comparison.changedCount
            lines.append(
                "\(text(changed)) \(changed == 1 ? "answer changes" : "answers change") (\(comparison.share(changed)))"
            )
            if comparison.sameAnswerCount > 0 {
                lines.append("\(text(comparison.sameAnswerCount)) decided otherwise and answered alike")
            }
        }
        return lines
    }

    private var foldedChanges: [String] {
        let (_, count, subscribers) = changes
        return count > 0
            ? [
                "\(text(subscribers)) (\(comparison.share(subscribers))) in \(CountText.of(count, "smaller change"))"
            ] : []
    }

    var lines: [String] {
        let values = breakdowns.map { valueTable($0.title, $0.rows) }
        let tables = [totalsTable, reachTable] + failureTables + values
        return summary + comparison.lines(of: changes.shown) + foldedChanges.flatMap { ["", $0] }
            + tables.flatMap { [""] + TextTable.lines($0, right: Set(1..<$0[0].count)) }
    }

    // MARK: JSON

    var json: JSONNode {
        var members: [(String, JSONNode)] = [
            ("now", .string(FactText.date(simulation.nowMilliseconds))),
            ("factsAgeSeconds", .integer(simulation.ageSeconds)),
            ("productsFromFacts", .boolean(simulation.requests.hasProductsOfFacts)),
            ("totals", .object(totals.named.map { ($0.name, JSONNode($0.count)) })),
            ("decidedBy", node(reach)), ("failed", node(failures(simulation.new.rules, counts.failures))),
        ]
        if let old = simulation.old, let totals = oldTotals {
            members += [
                ("changed", JSONNode(comparison.changedCount)),
                ("decidedOtherwise", JSONNode(comparison.sameAnswerCount)),
                (
                    "changes",
                    .array(
                        changes.shown.map {
                            .object([
                                ("count", JSONNode($0.count)), ("old", .object($0.change.old.members)),
                                ("new", .object($0.change.new.members)),
                            ])
                        })
                ), ("changesFolded", JSONNode(changes.foldedCount)),
                ("totalsAgainst", .object(totals.named.map { ($0.name, JSONNode($0.count)) })),
                ("failedAgainst", node(failures(old.rules, counts.oldFailures))),
            ]
        }
        return .object(members + breakdowns.map { ($0.name, .array($0.rows.map(node))) })
    }

    private func node(_ reach: [Reach]) -> JSONNode {
        .array(
            reach.map { reach in
                .object(
                    reach.source.members + [("arm", JSONNode(reach.arm))]
                        + (simulation.old == nil ? [] : [("old", JSONNode(reach.count.old))])
                        + [("new", JSONNode(reach.count.new)), ("heldOut", JSONNode(reach.heldOut))])
            })
    }

    private func node(_ failures: [(name: String, counts: [Int])]) -> JSONNode {
        .array(
            failures.map { row in
                .object(
                    [("rule", .string(row.name))]
                        + RuleStep.allCases.map { ("\($0)", JSONNode(row.counts[$0.rawValue])) })
            })
    }

    private func node(_ row: ValueRow) -> JSONNode {
        func folded(_ count: Int) -> JSONNode {
            (1..<Self.leastCount).contains(count) ? .null : JSONNode(count)
        }
        let sources = comparison.sources.filter { row.sources[$0] != nil }
        return .object(
            [("value", .string(row.value))] + row.totals.named.map { ($0.name, folded($0.count)) }
                + (simulation.old == nil ? [] : [("changed", folded(row.changed))])
                + [
                    (
                        "decidedBy",
                        .array(
                            sources.map {
                                .object($0.members + [("subscribers", folded(row.sources[$0] ?? 0))])
                            })
                    )
                ])
    }

    // MARK: The page

    /// For people who were not at the terminal: one file without a script.
    var page: [UInt8] {
        let app = "\(simulation.new.rules.appAppleId) in \(simulation.new.rules.environment.rawValue)"
        let title = "What \(names.rules) would serve"
        let lines: [HTML] = summary.map { "<p>\($0)</p>\n" }
        let rows: [HTML] = changes.shown.map { group in
            """
            <tr><td>\(text(group.count))</td><td>\(comparison.share(group.count))</td>\
            <td class="words">\(group.change.old.text)</td><td class="words">\(group.change.new.text)</td></tr>

            """
        }
        let folded: [HTML] = foldedChanges.map { "<p>\($0)</p>" }
        let changed: HTML =
            comparison.changedCount == 0
            ? ""
            : """
            <section><h2>Answers that change</h2>
            \(HTML.table("Answers that change", head: ["subscribers", "share", "old", "new"], rows))\(folded)</section>

            """
        let values: [HTML] = breakdowns.map { breakdown in
            section(
                "By \(breakdown.title)",
                [valueTable(breakdown.title, breakdown.rows), sourceTable(breakdown.title, breakdown.rows)])
        }
        return HTML.page(
            title: title, style: Array("td.words{white-space:normal;min-width:11rem;text-align:left}\n".utf8),
            """
            <header><h1>\(title)</h1><p>\(app)</p>
            \(lines)</header>
            <main>\(section("Subscribers", [totalsTable]))\(section("Reach", [reachTable]))\(changed)\
            \(failureTables.isEmpty ? "" : section("Steps that failed", failureTables))\(values)</main>
            """
        ).bytes
    }

    private func section(_ title: String, _ tables: [Table]) -> HTML {
        let drawn: [HTML] = tables.map { table in
            let rows = table.dropFirst().map { row in
                let isInner = row[0].hasPrefix(" ")
                let name: HTML =
                    isInner ? "\u{2003}<bdi>\(String(row[0].dropFirst(2)))</bdi>" : "<bdi>\(row[0])</bdi>"
                return HTML.row(name, Array(row.dropFirst()))
            }
            return HTML.table(title, head: table[0].map { "\($0)" }, rows)
        }
        return "<section><h2>\(title)</h2>\n\(drawn)</section>\n"
    }
}
