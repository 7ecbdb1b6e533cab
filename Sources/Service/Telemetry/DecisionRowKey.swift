internal import System

/// The names that one row of decision counts stands for.
public struct DecisionRowKey: Sendable, Hashable {
    /// The App Store's number of the app.
    public let appAppleId: Int64
    /// The environment, as Apple spells it.
    public let environment: String
    /// The rule's id; empty for decisions that no rule made.
    public let rule: String
    /// The arm's name; empty for a rule without arms.
    public let arm: String

    /// Makes a key. The parameters are the values of the properties with the same names.
    public init(appAppleId: Int64, environment: String, rule: String = "", arm: String = "") {
        self.appAppleId = appAppleId
        self.environment = environment
        self.rule = rule
        self.arm = arm
    }

    /// The name of the row that counts all rules of a file which have no row of their own.
    public static let otherRule = "other"

    /// The row for everything that finds no free row.
    public static let everythingElse = DecisionRowKey(appAppleId: 0, environment: "other", rule: otherRule)

    var byteCount: Int { environment.utf8.count + rule.utf8.count + arm.utf8.count }

    /// A hash of the names; never 0.
    var hash: UInt64 {
        let text = ["\(appAppleId)", environment, rule, arm].joined(separator: "\0")
        return max(Array(text.utf8).span.wordHash, 1)
    }
}
