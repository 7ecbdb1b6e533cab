/// A fact compared with something.
public struct Predicate: Sendable, Hashable {
    /// The fact.
    public let fact: Fact
    /// How it is compared: one of ``ConditionOperation/predicates`` that fits the fact's kind.
    public let operation: ConditionOperation
    /// What it is compared with, as many values as the operation's ``ConditionOperation/OperandForm`` says: a number of
    /// days is an integer, a flag a boolean, a part of a string a string.
    public let operands: [FactValue]

    /// Compares a fact.
    public init(_ fact: Fact, _ operation: ConditionOperation, _ operands: [FactValue]) {
        self.fact = fact
        self.operation = operation
        self.operands = operands
    }

    /// Whether it is true of a value of its fact; nil for what depends on the clock. What compilers reason with; the
    /// server's own evaluation is another one, and a test holds both together.
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
