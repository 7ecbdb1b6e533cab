/// A step at which a rule fails, under the name that ``explain(_:facts:using:)`` shows. A condition that is false is not counted,
/// because that is the case for most rules; `when` counts those that are unknown.
public enum RuleStep: Int, Sendable, CaseIterable {
    case enabled, window, when, rollout, arm, caps, approval, locale, signing
}

/// How often each rule failed at each step, in all decisions that count here. For a subscriber who is held out the rules run in
/// shadow, and count as well.
public final class StepFailures: DecisionTracer {
    static var isRecording: Bool { false }

    /// For each rule in the order of the file, and for the default after them, a count for each step.
    public private(set) var counts: [Int]
    private var rule = 0

    public init(_ file: RulesFile) {
        counts = Array(repeating: 0, count: (file.ruleCount + 1) * RuleStep.allCases.count)
    }

    @inline(__always)
    func record(_ step: @autoclosure () -> DecisionStep) {
        switch step() {
        case .rule(let index, _): rule = index
        case .defaultOutcome: rule = counts.count / RuleStep.allCases.count - 1
        case .enabled(false): add(.enabled)
        case .window(isOpen: false): add(.window)
        case .when(.unknown?): add(.when)
        case .rollout(let draw): if !draw.isIn { add(.rollout) }
        case .arm(_, index: nil): add(.arm)
        case .failed(.capped): add(.caps)
        case .failed(.unapproved): add(.approval)
        case .failed(.noLocale): add(.locale)
        case .failed(.signFailed): add(.signing)
        default: break
        }
    }

    private func add(_ step: RuleStep) { counts[rule * RuleStep.allCases.count + step.rawValue] += 1 }
}
