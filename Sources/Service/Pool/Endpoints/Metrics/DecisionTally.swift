internal import Facts
internal import Rules
internal import System

/// Counts the decisions of one worker by rule and arm in the pool's shared counters. Belongs to one thread.
///
/// The worker claims the rows of its generation's rules when it starts. The number of rows is bounded: rules beyond the
/// limit, and rules with very long names, are counted together as `other`.
final class DecisionTally {
    /// The reasons that a scrape shows for a row although nothing has been counted there. So a query sees the first
    /// decision of a rule as an increase.
    private(set) var expected: [Int: [DecisionReason]] = [:]
    private let counters: SharedCounters
    private var files: [ObjectIdentifier: FileRows] = [:]

    private struct FileRows {
        /// The row of decisions that no rule made.
        let withoutRule: Int
        /// The row of the rules that have no row of their own.
        let other: Int
        /// For each rule the place in ``rows`` of its row, which the rows of its arms follow. Rules beyond the end have
        /// no row of their own.
        var places: [Int] = []
        var rows: [Int] = []

        func row(ofRule rule: Int, arm: Int?) -> Int {
            guard places.indices.contains(rule) else { return other }
            let place = places[rule] + (arm.map { $0 + 1 } ?? 0)
            return rows.indices.contains(place) ? rows[place] : other
        }
    }

    init(_ generation: Generation, _ counters: SharedCounters) {
        self.counters = counters
        let loaded = generation.manifest.files.filter { $0.kind == .rules }.compactMap { file in
            generation.rules(appAppleId: file.appAppleId, environment: file.environment)
        }
        // The first worker of a pool claims this row in an empty table, so that there always is a row.
        let rest = counters.claimDecisionRow(.everythingElse) ?? 0
        var left = SharedCounters.decisionRowsOfGeneration - 2 * loaded.count
        // Small files come first and leave to the large ones what they do not need.
        let sorted = loaded.sorted { $0.ruleCount < $1.ruleCount }
        for (index, file) in sorted.enumerated() {
            let rows = claim(file, limit: max(0, left) / (sorted.count - index), rest: rest)
            left -= rows.rows.count
            files[ObjectIdentifier(file)] = rows
            expect(rows, of: file)
        }
    }

    /// Claims the rows of a file: two for the file itself, and at most `limit` for rules and arms.
    private func claim(_ file: RulesFile, limit: Int, rest: Int) -> FileRows {
        func row(_ rule: String, _ arm: String = "") -> Int? {
            counters.claimDecisionRow(
                DecisionRowKey(
                    appAppleId: file.appAppleId, environment: file.environment.rawValue,
                    rule: rule, arm: arm)
            )
        }
        let other = row(DecisionRowKey.otherRule) ?? rest
        var rows = FileRows(withoutRule: row("") ?? rest, other: other)
        for rule in 0..<file.ruleCount {
            let armCount = file.armCount(ofRule: rule)
            guard rows.rows.count + 1 + armCount <= limit, let id = file.ruleID(at: rule) else { break }
            rows.places.append(rows.rows.count)
            rows.rows.append(row(id) ?? other)
            for arm in 0..<armCount {
                rows.rows.append(file.armName(at: arm, ofRule: rule).flatMap { row(id, $0) } ?? other)
            }
        }
        return rows
    }

    private func expect(_ rows: FileRows, of file: RulesFile) {
        expected[rows.withoutRule] = DecisionReason.withoutRule
        for rule in rows.places.indices {
            let armCount = file.armCount(ofRule: rule)
            let isSplit = armCount > 0 || file.hasRollout(rule: rule)
            for arm in armCount > 0 ? (0..<armCount).map({ $0 }) : [nil] {
                let row = rows.row(ofRule: rule, arm: arm)
                if row != rows.other { expected[row] = [isSplit ? .split : .targetingMatch] }
            }
        }
    }

    func count(_ decision: Decision, by file: RulesFile) {
        guard let rows = files[ObjectIdentifier(file)] else { return }
        let row = decision.ruleIndex.map { rows.row(ofRule: $0, arm: decision.armIndex) } ?? rows.withoutRule
        counters.addDecision(row: row, reason: decision.reason.number)
    }

    /// Returns the rules of a file with the counts of the pool, in their order. The rules that have no row of their own
    /// stand together at the end, as `other`.
    func counts(of file: RulesFile) -> [(rule: String, served: UInt64)] {
        guard let rows = files[ObjectIdentifier(file)] else { return [] }
        var counts: [(rule: String, served: UInt64)] = []
        for rule in rows.places.indices {
            let end = rule + 1 < rows.places.count ? rows.places[rule + 1] : rows.rows.count
            let found = rows.rows[rows.places[rule]..<end].filter { $0 != rows.other }
                .compactMap { counters.decisionRow($0) }
            guard let own = found.first, own.key.arm.isEmpty else { continue }
            counts.append((own.key.rule, found.reduce(0) { $0 &+ $1.served }))
        }
        if counts.count < file.ruleCount, let row = counters.decisionRow(rows.other) {
            counts.append((DecisionRowKey.otherRule, row.served))
        }
        return counts
    }
}

extension DecisionReason {
    /// The reasons in the order of their counts in shared memory.
    static let byNumber = allCases
    var number: Int { Self.byNumber.firstIndex(of: self) ?? 0 }

    static let withoutRule: [DecisionReason] = byNumber.filter {
        ![.targetingMatch, .split, .disabled, .error].contains($0)
    }
}
