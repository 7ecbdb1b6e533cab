/// The operation of a node of a condition. The raw values are the numbers in the file. Messages and pages for people
/// list the operations in the order of the cases.
///
/// Everything about an operation is in its ``Entry``. To add an operation, add a case and a row; the Swift compiler
/// then names the other places that give an operation its meaning.
public enum ConditionOperation: UInt8, Sendable, CaseIterable {
    /// True when all children are true.
    case all = 1
    /// True when at least one child is true.
    case any = 2
    /// True when its only child is false.
    case not = 3
    /// True when the segment's condition is true.
    case segment = 17
    /// The fact equals the value.
    case equal = 4
    /// The fact does not equal the value.
    case notEqual = 5
    /// The fact is in the list.
    case isIn = 6
    /// The fact is not in the list.
    case isNotIn = 7
    /// The fact is greater than the value.
    case greater = 9
    /// The fact is greater than the value or equal to it.
    case greaterOrEqual = 10
    /// The fact is less than the value.
    case less = 11
    /// The fact is less than the value or equal to it.
    case lessOrEqual = 12
    /// The fact lies between two values or is one of them.
    case between = 14
    /// The fact has a value; with the flag false, the fact has no value.
    case exists = 13
    /// The fact begins with the value.
    case prefix = 8
    /// More days than the value have passed since the fact's date.
    case olderThanDays = 15
    /// Fewer days than the value have passed since the fact's date.
    case youngerThanDays = 16

    /// The form of an operand: what follows the operation's word in a source, and how a node holds it.
    public enum OperandForm: Sendable, Hashable {
        /// Conditions, for a group. The children stand side by side.
        case conditions
        /// The name of a segment. The node refers to the segment.
        case segment
        /// One value of the fact's kind. The node has its number; for a string, the node refers to the string.
        case value
        /// A part of a string. The associated word says how a string has the part: `begins`. The node refers to the
        /// part.
        case part(String)
        /// One or more values of the fact's kind. The node refers to that many entries of a list.
        case list
        /// Two values of the fact's kind, the first not greater than the second. The node refers to two numbers of a
        /// list.
        case range
        /// True or false. The node has 1 or 0, and no kind.
        case flag
        /// A number of days. The node has the number, with the fact's kind.
        case days
    }

    /// Everything about one operation.
    struct Entry {
        /// The word in the rules language.
        let word: String
        let operand: OperandForm
        /// The kinds of fact that the operation works on; empty for groups and segments, which have no fact.
        let kinds: [ValueKind]
        /// The operation's names in other rules languages, in lower case and without underscores.
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

    /// The row of this operation in the table of all operations.
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

    /// The operation's word in the rules language.
    public var word: String { entry.word }
    /// The form of the operand, which follows the word in a source.
    public var operand: OperandForm { entry.operand }
    /// The operation's names in other rules languages, in lower case and without underscores.
    public var synonyms: [String] { entry.synonyms }

    /// True when the operation is true of the values in its operand and of no others: `eq` and `in`.
    public var namesValues: Bool { self == .equal || self == .isIn }

    /// True when the operation is true of all values but those in its operand: `ne` and `notIn`.
    public var excludesValues: Bool { self == .notEqual || self == .isNotIn }

    /// Returns true when the operation works on facts of this kind.
    public func fits(_ kind: ValueKind) -> Bool { entry.kinds.contains(kind) }

    /// True when the operation compares a fact, so that it is neither a group nor a segment.
    public var isPredicate: Bool { !entry.kinds.isEmpty }

    /// All operations that compare a fact.
    public static let predicates = allCases.filter(\.isPredicate)
}
