package import DataFiles

/// One step of a decision, in the order in which they are taken. References are numbers of the file.
package enum DecisionStep: Sendable, Hashable {
    /// Looked at the kill switch.
    case killSwitch(isOn: Bool)
    /// Held the request's app and environment against the file's.
    case app(matches: Bool)
    /// Came to a rule.
    case rule(index: Int)
    /// Looked whether it is switched on.
    case enabled(Bool)
    /// Looked at its window.
    case window(isOpen: Bool)
    /// Evaluated a node of its condition; children come before their group.
    case node(index: Int, depth: Int, Truth)
    /// Evaluated its condition as a whole; nil when it has none.
    case when(Truth?)
    /// Looked for a message in one locale.
    case locale(LocaleAttempt)
    /// Came to the default; false when there is none.
    case defaultOutcome(exists: Bool)
}

/// One look for a message in a locale.
package struct LocaleAttempt: Sendable, Hashable {
    /// How one came to the locale.
    package enum Origin: String, Sendable, Hashable {
        /// It is the subscriber's.
        case subscriber
        /// It stands in for the one before.
        case fallback
        /// It is the last resort.
        case last
    }

    /// How one came to the locale.
    package let origin: Origin
    /// The locale as a string of the file; none when the file does not know it.
    package let locale: EntryReference
    /// Whether the message has it.
    package let isFound: Bool
}

/// Hears of the steps of a decision. The server's own hears nothing and costs nothing: steps are made only for one
/// who asks.
protocol DecisionTracer {
    mutating func record(_ step: @autoclosure () -> DecisionStep)
}

/// The tracer of the server.
struct NoTracer: DecisionTracer {
    @inline(__always)
    func record(_ step: @autoclosure () -> DecisionStep) {}
}

/// A tracer that keeps everything.
struct StepRecorder: DecisionTracer {
    var steps: [DecisionStep] = []

    mutating func record(_ step: @autoclosure () -> DecisionStep) {
        steps.append(step())
    }
}
