/// A comparison of a fact with operands.
public struct Predicate: Sendable, Hashable {
    /// The fact that is compared.
    public let fact: Fact
    /// The comparison: one of ``ConditionOperation/predicates`` that fits the kind of the fact.
    public let operation: ConditionOperation
    /// The values to compare with, as many as the operation's ``ConditionOperation/OperandForm`` needs. A number of
    /// days is an integer, a flag is a boolean, a part of a string is a string.
    public let operands: [FactValue]

    public init(_ fact: Fact, _ operation: ConditionOperation, _ operands: [FactValue]) {
        self.fact = fact
        self.operation = operation
        self.operands = operands
    }

    /// Returns whether the predicate holds for a value of its fact; nil when the value alone does not tell, as for
    /// predicates that depend on the clock. The compiler reasons with this. The server evaluates predicates with other
    /// code, and a test compares both.
    package func isTrue(of value: FactValue) -> Bool? {
        guard let first = operands.first else { return nil }
        switch operation {
        case .equal: return value == first
        case .notEqual: return value != first
        case .isIn: return operands.contains(value)
        case .isNotIn: return !operands.contains(value)
        case .greater: return value.number > first.number
        case .greaterOrEqual: return value.number >= first.number
        case .less: return value.number < first.number
        case .lessOrEqual: return value.number <= first.number
        case .between: return first.number <= value.number && value.number <= (operands.last ?? first).number
        case .exists: return first == .boolean(true)
        case .prefix:
            guard case .string(let whole) = value, case .string(let part) = first else { return nil }
            return whole.utf8.starts(with: part.utf8)
        case .olderThanDays, .youngerThanDays, .all, .any, .not, .segment: return nil
        }
    }
}
