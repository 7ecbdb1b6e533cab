public import DataFiles

/// Short forms in which tests write predicates.
extension Condition {
    public static func equal(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .equal, [value]))
    }

    /// The fact has another value.
    public static func notEqual(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .notEqual, [value]))
    }

    /// The fact is in the list.
    public static func isIn(_ fact: Fact, _ values: [FactValue]) -> Condition {
        .predicate(Predicate(fact, .isIn, values))
    }

    /// The fact is not in the list.
    public static func isNotIn(_ fact: Fact, _ values: [FactValue]) -> Condition {
        .predicate(Predicate(fact, .isNotIn, values))
    }

    public static func prefix(_ fact: Fact, _ text: String) -> Condition {
        .predicate(Predicate(fact, .prefix, [.string(text)]))
    }

    /// The fact is greater, or later.
    public static func greater(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .greater, [value]))
    }

    public static func greaterOrEqual(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .greaterOrEqual, [value]))
    }

    /// The fact is less, or earlier.
    public static func less(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .less, [value]))
    }

    public static func lessOrEqual(_ fact: Fact, _ value: FactValue) -> Condition {
        .predicate(Predicate(fact, .lessOrEqual, [value]))
    }

    /// The fact has a value when `isThere` is true, and has no value when it is false.
    public static func exists(_ fact: Fact, _ isThere: Bool) -> Condition {
        .predicate(Predicate(fact, .exists, [.boolean(isThere)]))
    }

    /// The fact lies between two values or is one of them.
    public static func between(_ fact: Fact, _ low: FactValue, _ high: FactValue) -> Condition {
        .predicate(Predicate(fact, .between, [low, high]))
    }

    /// More than so many days have passed since the fact.
    public static func olderThanDays(_ fact: Fact, _ days: Int64) -> Condition {
        .predicate(Predicate(fact, .olderThanDays, [.integer(days)]))
    }

    /// Fewer than so many days have passed since the fact.
    public static func youngerThanDays(_ fact: Fact, _ days: Int64) -> Condition {
        .predicate(Predicate(fact, .youngerThanDays, [.integer(days)]))
    }
}
