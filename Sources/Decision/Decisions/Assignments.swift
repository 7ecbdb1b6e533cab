/// The assignments of one decision, in the order of the rules. Held in line: nothing is allocated.
public struct Assignments: Sendable {
    /// As many are kept. A file with more experiments that all fail for one subscriber keeps those of its first rules,
    /// and a line of the decision log stays short.
    public static let limit = 8

    /// Rule, arm and step of each, packed into a word.
    private var words: [8 of UInt64] = .init(repeating: 0)
    /// How many there are.
    public private(set) var count = 0

    /// None.
    public init() {}

    /// Adds one behind the others, unless there are ``limit`` already.
    mutating func append(_ assignment: Assignment) {
        guard count < Self.limit else { return }
        words[count] = Self.word(of: assignment)
        count &+= 1
    }

    private static let steps = Assignment.Step.allCases

    /// Rules and arms of a file are numbered below 2^24 (``DataFileLimits/entryCount``).
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
    /// The place of the first one.
    public var startIndex: Int { 0 }
    /// Behind the place of the last one.
    public var endIndex: Int { count }

    /// The assignment at a place from 0.
    public subscript(position: Int) -> Assignment {
        precondition(position >= 0 && position < count, "a place below the count")
        let word = words[position]
        let arm = Int(word >> 8 & 0xFF_FFFF)
        return Assignment(
            ruleIndex: Int(word >> 32),
            armIndex: arm == 0 ? nil : arm - 1,
            step: Self.steps[Int(word & 0xFF)]
        )
    }
}

extension Assignments: Hashable {
    /// Whether both have the same ones in the same order.
    public static func == (one: Assignments, other: Assignments) -> Bool {
        guard one.count == other.count else { return false }
        for index in 0..<one.count where one.words[index] != other.words[index] { return false }
        return true
    }

    /// Hashes all of them.
    public func hash(into hasher: inout Hasher) {
        for index in 0..<count { hasher.combine(words[index]) }
    }
}
