public import DataFiles

/// A rule that drew a rollout or an arm for the subscriber and then failed a later step. An analysis of an experiment
/// must count the subscriber in the group that was drawn: if it leaves these subscribers out, the groups are biased by
/// what could be served.
public struct Assignment: Sendable, Hashable {
    /// The step that failed, under the name that ``explain(_:facts:using:)`` shows.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The subscriber is in the rollout, but the fact that decides the arm is missing.
        case arm
        case caps
        case approval
        case locale
        case signing

        /// Makes the step that fails for this reason; nil for a reason that no step of an outcome gives.
        init?(_ reason: DecisionReason) {
            switch reason {
            case .capped: self = .caps
            case .unapproved: self = .approval
            case .noLocale: self = .locale
            case .signFailed: self = .signing
            default: return nil
            }
        }
    }

    private let rule: UInt32
    /// -1 for no arm.
    private let arm: Int32
    public let step: Step

    init(ruleIndex: Int, armIndex: Int?, step: Step) {
        rule = UInt32(truncatingIfNeeded: ruleIndex)
        arm = Int32(truncatingIfNeeded: armIndex ?? -1)
        self.step = step
    }

    /// The index of the rule in the file, counted from 0.
    public var ruleIndex: Int { Int(rule) }
    /// The index of the arm that was drawn, counted from 0; nil when the rule has no arms or no arm could be drawn.
    public var armIndex: Int? { arm < 0 ? nil : Int(arm) }

    /// Returns the id of the rule. Allocates a string.
    public func ruleID(in file: RulesFile) -> String? { file.ruleID(at: ruleIndex) }

    /// Returns the name of the arm that was drawn, or nil when ``armIndex`` is nil. Allocates a string.
    public func armName(in file: RulesFile) -> String? {
        armIndex.flatMap { file.armName(at: $0, ofRule: ruleIndex) }
    }
}

/// The assignments of one decision, in the order of the rules. They are stored in line; nothing is allocated.
public struct Assignments: Sendable {
    /// The most assignments that are kept. If more rules fail after their draw, only those of the first rules are kept,
    /// so that a line of the decision log stays short.
    public static let limit = 8

    private var list: [8 of Assignment] = .init(
        repeating: Assignment(ruleIndex: 0, armIndex: nil, step: .arm))
    public private(set) var count = 0

    public init() {}

    /// Appends an assignment, unless the list already has ``limit`` of them.
    mutating func append(_ assignment: Assignment) {
        guard count < Self.limit else { return }
        list[count] = assignment
        count &+= 1
    }
}

extension Assignments: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(position: Int) -> Assignment {
        precondition(position >= 0 && position < count, "a place below the count")
        return list[position]
    }
}

extension Assignments: Hashable {
    public static func == (one: Assignments, other: Assignments) -> Bool { one.elementsEqual(other) }

    public func hash(into hasher: inout Hasher) {
        for assignment in self { hasher.combine(assignment) }
    }
}
