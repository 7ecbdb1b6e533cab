public import Facts

public indirect enum Condition: Sendable, Hashable {
    case all([Condition])
    case any([Condition])
    case not(Condition)
    case segment(Int)
    case predicate(Predicate)

    public var operation: ConditionOperation {
        switch self {
        case .all: .all
        case .any: .any
        case .not: .not
        case .segment: .segment
        case .predicate(let predicate): predicate.operation
        }
    }
}

public struct Predicate: Sendable, Hashable {
    public let fact: Fact
    /// The comparison: one of ``ConditionOperation/predicates`` that fits the kind of the fact.
    public let operation: ConditionOperation
    /// As many as the ``OperandForm`` needs. A number of days is an integer, a flag a boolean.
    public let operands: [FactValue]

    public init(_ fact: Fact, _ operation: ConditionOperation, _ operands: [FactValue]) {
        self.fact = fact
        self.operation = operation
        self.operands = operands
    }

    /// Returns whether the predicate holds for a value of its fact; nil when the value alone does not tell, as for
    /// predicates that depend on the clock. The compiler reasons with this. The server evaluates predicates with other
    /// code, and a test compares both.
    public func isTrue(of value: FactValue) -> Bool? {
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

/// The operation of a node of a condition. The raw values are the numbers in the file. Messages and pages for people
/// list the operations in the order of the cases.
///
/// Everything about an operation is in its ``Entry``. To add an operation, add a case and a row; the Swift compiler
/// then names the other places that give an operation its meaning.
public enum ConditionOperation: UInt8, Sendable, CaseIterable {
    case all = 1
    case any = 2
    case not = 3
    case segment = 17
    case equal = 4
    case notEqual = 5
    case isIn = 6
    case isNotIn = 7
    case greater = 9
    case greaterOrEqual = 10
    case less = 11
    case lessOrEqual = 12
    case between = 14
    case exists = 13
    case prefix = 8
    case olderThanDays = 15
    case youngerThanDays = 16

    /// The form of an operand: what follows the operation's word in a source, and how a node holds it.
    public enum OperandForm: Sendable, Hashable {
        case conditions
        case segment
        /// One value of the fact's kind. The node has its number; for a string, the node refers to the string.
        case value
        /// The associated word says how a string has the part: `begins`.
        case part(String)
        case list
        /// The first not greater than the second. The node refers to two numbers of a list.
        case range
        case flag
        case days
    }

    struct Entry {
        let word: String
        let operand: OperandForm
        let kinds: [ValueKind]
        let synonyms: [String]

        init(
            _ word: String, _ operand: OperandForm, _ kinds: [ValueKind], _ synonyms: [String] = []
        ) {
            self.word = word
            self.operand = operand
            self.kinds = kinds
            self.synonyms = synonyms
        }
    }

    private var entry: Entry {
        let (every, ordered) = (ValueKind.allCases, ValueKind.allCases.filter(\.isOrdered))
        return switch self {
        case .all: Entry("all", .conditions, [], ["and", "allof"])
        case .any: Entry("any", .conditions, [], ["or", "anyof"])
        case .not: Entry("not", .conditions, [], ["noneof"])
        case .segment: Entry("segment", .segment, [])
        case .equal:
            Entry("eq", .value, every, ["equals", "equal", "is", "==", "="])
        case .notEqual:
            Entry(
                "ne", .value, every, ["notequals", "notequal", "isnot", "neq", "!="])
        case .isIn:
            Entry("in", .list, every, ["oneof", "isoneof", "isin", "contains"])
        case .isNotIn:
            Entry(
                "notIn", .list, every, ["notoneof", "isnotoneof", "isnotin", "nin", "notcontains"])
        case .greater:
            Entry(
                "gt", .value, ordered, ["greaterthan", "greater", "above", "after", ">"])
        case .greaterOrEqual:
            Entry(
                "gte", .value, ordered,
                ["ge", "greaterthanorequal", "greaterthanequal", "atleast", "min", ">="])
        case .less:
            Entry(
                "lt", .value, ordered, ["lessthan", "less", "below", "before", "<"])
        case .lessOrEqual:
            Entry(
                "lte", .value, ordered, ["le", "lessthanorequal", "lessthanequal", "atmost", "max", "<="])
        case .between: Entry("between", .range, ordered, ["range"])
        case .exists: Entry("exists", .flag, every, ["isset", "present", "defined"])
        case .prefix: Entry("prefix", .part("begins"), [.string], ["startswith", "beginswith"])
        case .olderThanDays: Entry("olderThanDays", .days, [.date])
        case .youngerThanDays: Entry("youngerThanDays", .days, [.date])
        }
    }

    public var word: String { entry.word }
    public var operand: OperandForm { entry.operand }
    public var synonyms: [String] { entry.synonyms }

    public var namesValues: Bool { self == .equal || self == .isIn }

    public var excludesValues: Bool { self == .notEqual || self == .isNotIn }

    public func fits(_ kind: ValueKind) -> Bool { entry.kinds.contains(kind) }

    public var isPredicate: Bool { !entry.kinds.isEmpty }

    public static let predicates = allCases.filter(\.isPredicate)
}
