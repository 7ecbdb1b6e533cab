/// The assignments of one decision, in the order of the rules. They are stored in line; nothing is allocated.
public struct Assignments: Sendable {
    /// The most assignments that are kept. If more rules fail after their draw, only those of the first rules are kept,
    /// so that a line of the decision log stays short.
    public static let limit = 8

    /// The rule, arm and step of each assignment, packed into one word.
    private var words: [8 of UInt64] = .init(repeating: 0)
    public private(set) var count = 0

    /// Makes an empty list.
    public init() {}

    /// Appends an assignment, unless the list already has ``limit`` of them.
    mutating func append(_ assignment: Assignment) {
        guard count < Self.limit else { return }
        words[count] = Self.word(of: assignment)
        count &+= 1
    }

    private static let steps = Assignment.Step.allCases

    /// Packs an assignment into a word. A file numbers its rules and arms below 2^24 (``DataFileLimits/entryCount``),
    /// so they fit.
    private static func word(of assignment: Assignment) -> UInt64 {
        let step: UInt64 =
            switch assignment.step {
            case .arm: 0
            case .caps: 1
            case .approval: 2
            case .locale: 3
            case .signing: 4
            }
        let arm = UInt64(UInt32(truncatingIfNeeded: (assignment.armIndex ?? -1) &+ 1))
        return UInt64(UInt32(truncatingIfNeeded: assignment.ruleIndex)) << 32 | arm << 8 | step
    }
}

extension Assignments: RandomAccessCollection {
    /// The position of the first assignment, 0.
    public var startIndex: Int { 0 }
    /// The position after the last assignment.
    public var endIndex: Int { count }

    /// The assignment at a position, counted from 0.
    public subscript(position: Int) -> Assignment {
        precondition(position >= 0 && position < count, "a place below the count")
        let word = words[position]
        let arm = Int(word >> 8 & 0xFF_FFFF)
        return Assignment(
            ruleIndex: Int(word >> 32), armIndex: arm == 0 ? nil : arm - 1, step: Self.steps[Int(word & 0xFF)]
        )
    }
}

extension Assignments: Hashable {
    /// Returns true when both lists have the same assignments in the same order.
    public static func == (one: Assignments, other: Assignments) -> Bool {
        guard one.count == other.count else { return false }
        for index in 0..<one.count where one.words[index] != other.words[index] { return false }
        return true
    }

    /// Hashes every assignment of the list.
    public func hash(into hasher: inout Hasher) {
        for index in 0..<count { hasher.combine(words[index]) }
    }
}
