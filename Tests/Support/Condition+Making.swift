package import Facts
package import Rules

extension Condition {
    package static func equal(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .equal, [value]))
    }

    package static func notEqual(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .notEqual, [value]))
    }

    package static func isIn(_ fact: Fact, _ values: [FactValue]) -> Condition {
        .predicate(Predicate(fact, .isIn, values))
    }

    package static func isNotIn(_ fact: Fact, _ values: [FactValue]) -> Condition {
        .predicate(Predicate(fact, .isNotIn, values))
    }

    package static func prefix(_ fact: Fact, _ text: String) -> Condition {
        .predicate(Predicate(fact, .prefix, [.string(text)]))
    }

    package static func greater(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .greater, [value]))
    }

    package static func greaterOrEqual(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .greaterOrEqual, [value]))
    }

    package static func less(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .less, [value]))
    }

    package static func lessOrEqual(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .lessOrEqual, [value]))
    }

    package static func exists(_ fact: Fact, _ isThere: Bool) -> Condition {
        .predicate(Predicate(fact, .exists, [.boolean(isThere)]))
    }

    package static func between(_ fact: Fact, _ low: FactValue, _ high: FactValue) -> Condition {
        .predicate(Predicate(fact, .between, [low, high]))
    }

    package static func olderThanDays(_ fact: Fact, _ days: Int64) -> Condition {
        .predicate(Predicate(fact, .olderThanDays, [.integer(days)]))
    }

    package static func youngerThanDays(_ fact: Fact, _ days: Int64) -> Condition {
        .predicate(Predicate(fact, .youngerThanDays, [.integer(days)]))
    }
}
