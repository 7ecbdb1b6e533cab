internal import DataFiles
internal import JSON

/// Refuses rules with more conditions than a decision may look at. The loader refuses them, too.
enum ConditionLimit {
    static func check(_ model: RulesModel, _ root: SourceValue) {
        var segments: [Int] = []
        for segment in model.segments { segments.append(count(segment.condition, segments)) }
        var sum = 0
        for (index, rule) in model.rules.enumerated() {
            sum += rule.condition.map { count($0, segments) } ?? 0
            guard sum > DataFileLimits.conditionCount else { continue }
            root.findings.add(
                .tooMuchWork,
                "with this rule there are more than \(DataFileLimits.conditionCount) conditions",
                at: [.member("rules"), .index(index)], hint: "a segment counts at each place that names it")
            return
        }
    }

    /// Returns the number of conditions in one; above the limit, the limit plus one.
    private static func count(_ condition: Condition, _ segments: [Int]) -> Int {
        switch condition {
        case .predicate: 1
        case .segment(let index): segments[index]
        case .not(let child): min(1 + count(child, segments), DataFileLimits.conditionCount + 1)
        case .all(let children), .any(let children):
            children.reduce(1) { min($0 + count($1, segments), DataFileLimits.conditionCount + 1) }
        }
    }
}
