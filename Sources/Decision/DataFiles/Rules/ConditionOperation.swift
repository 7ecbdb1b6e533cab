/// What a node of a condition does. The numbers are those of the file. The order is that in which people are told of them.
///
/// All that an operation is stands in its ``Entry``: whoever adds one adds a case and a row, and the compiler names the
/// places that give an operation its meaning.
public enum ConditionOperation: UInt8, Sendable, CaseIterable {
    /// True when all children are.
    case all = 1
    /// True when some child is.
    case any = 2
    /// True when its only child is false.
    case not = 3
    /// What a segment's condition is.
    case segment = 17
    /// The fact is the value.
    case equal = 4
    /// The fact is another value.
    case notEqual = 5
    /// The fact is in the list.
    case isIn = 6
    /// The fact is not in the list.
    case isNotIn = 7
    /// The fact is greater than the value.
    case greater = 9
    /// The fact is the value or greater.
    case greaterOrEqual = 10
    /// The fact is less than the value.
    case less = 11
    /// The fact is the value or less.
    case lessOrEqual = 12
    /// The fact lies between two values or is one of them.
    case between = 14
    /// The fact has a value, or has none.
    case exists = 13
    /// The fact begins with the value.
    case prefix = 8
    /// More days than the value have passed since the fact.
    case olderThanDays = 15
    /// Fewer days than the value have passed since the fact.
    case youngerThanDays = 16

    /// What stands behind the operation in a source, and how a node holds it.
    public enum OperandForm: Sendable, Hashable {
        /// Conditions: a group. The children stand side by side.
        case conditions
        /// The name of a segment. The node refers to the segment.
        case segment
        /// One value of the fact's kind. The node has its number, of a string the reference to it.
        case value
        /// A part of a string; the word says how a string has it: `begins`. The node refers to the part.
        case part(String)
        /// One value of the fact's kind or more. The node refers to as many entries of a list.
        case list
        /// Two values of the fact's kind, the first not the greater one. The node refers to two numbers of a list.
        case range
        /// True or false. The node has 1 or 0, and no kind.
        case flag
        /// A number of days. The node has it, with the fact's kind.
        case days
    }

    /// Everything there is to say of an operation.
    struct Entry {
        /// The word in the rules language.
        let word: String
        let operand: OperandForm
        /// The kinds of fact that it means something for; none for what has no fact.
        let kinds: [ValueKind]
        /// What other rules languages call it, in lower case and without underscores.
        let synonyms: [String]

        init(_ word: String, _ operand: OperandForm, _ kinds: [ValueKind], _ synonyms: [String] = []) {
            self.word = word
            self.operand = operand
            self.kinds = kinds
            self.synonyms = synonyms
        }
    }

    /// The table of all operations.
    private var entry: Entry {
        let (every, ordered) = (ValueKind.allCases, ValueKind.allCases.filter(\.isOrdered))
        return switch self {
        case .all: Entry("all", .conditions, [], ["and", "allof"])
        case .any: Entry("any", .conditions, [], ["or", "anyof"])
        case .not: Entry("not", .conditions, [], ["noneof"])
        case .segment: Entry("segment", .segment, [])
        case .equal: Entry("eq", .value, every, ["equals", "equal", "is", "==", "="])
        case .notEqual: Entry("ne", .value, every, ["notequals", "notequal", "isnot", "neq", "!="])
        case .isIn: Entry("in", .list, every, ["oneof", "isoneof", "isin", "contains"])
        case .isNotIn:
            Entry("notIn", .list, every, ["notoneof", "isnotoneof", "isnotin", "nin", "notcontains"])
        case .greater: Entry("gt", .value, ordered, ["greaterthan", "greater", "above", "after", ">"])
        case .greaterOrEqual:
            Entry(
                "gte",
                .value,
                ordered,
                ["ge", "greaterthanorequal", "greaterthanequal", "atleast", "min", ">="]
            )
        case .less: Entry("lt", .value, ordered, ["lessthan", "less", "below", "before", "<"])
        case .lessOrEqual:
            Entry("lte", .value, ordered, ["le", "lessthanorequal", "lessthanequal", "atmost", "max", "<="])
        case .between: Entry("between", .range, ordered, ["range"])
        case .exists: Entry("exists", .flag, every, ["isset", "present", "defined"])
        case .prefix: Entry("prefix", .part("begins"), [.string], ["startswith", "beginswith"])
        case .olderThanDays: Entry("olderThanDays", .days, [.date])
        case .youngerThanDays: Entry("youngerThanDays", .days, [.date])
        }
    }

    /// The word in the rules language.
    public var word: String { entry.word }
    /// What stands behind it.
    public var operand: OperandForm { entry.operand }
    /// What other rules languages call it, in lower case and without underscores.
    public var synonyms: [String] { entry.synonyms }

    /// Whether it means something for facts of a kind.
    public func fits(_ kind: ValueKind) -> Bool { entry.kinds.contains(kind) }

    /// Whether it compares a fact, and is neither a group nor a segment.
    public var isPredicate: Bool { !entry.kinds.isEmpty }

    /// All operations that compare a fact.
    public static let predicates = allCases.filter(\.isPredicate)

    /// Whether a node with this number has children or a segment, and no fact. Asked of every node in a decision, so it
    /// is no question to the table; a test holds both together.
    @inline(__always)
    package static func isCompound(_ number: UInt8) -> Bool {
        number <= Self.not.rawValue || number == Self.segment.rawValue
    }
}
