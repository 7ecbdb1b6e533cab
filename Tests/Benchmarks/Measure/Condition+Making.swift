import DataFiles

/// Short forms in which the benchmarks write predicates.
extension Condition {
    static func equal(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .equal, [value]))
    }

    static func isIn(_ fact: Fact, _ values: [FactValue]) -> Condition {
        .predicate(Predicate(fact, .isIn, values))
    }

    static func greaterOrEqual(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .greaterOrEqual, [value]))
    }
}
