package import DataFiles

/// One step of a decision, in the order in which they are taken. References are numbers of the file.
package enum DecisionStep: Sendable, Hashable {
    /// Looked at the kill switch.
    case killSwitch(isOn: Bool)
    /// Held the request's app and environment against the file's.
    case app(matches: Bool)
    /// Looked whether the subscriber is held out; nil when the holdout is over.
    case holdout(SplitLook?)
    /// Came to a rule. One that is no candidate cannot match for the product: the server passes over it without a
    /// look.
    case rule(index: Int, isCandidate: Bool)
    /// Looked whether it is switched on.
    case enabled(Bool)
    /// Looked at its window.
    case window(isOpen: Bool)
    /// Evaluated a node of a condition; children come before their group.
    case node(index: Int, depth: Int, Truth)
    /// Evaluated its condition as a whole; nil when it has none.
    case when(Truth?)
    /// Looked whether the subscriber is in its share.
    case rollout(SplitLook)
    /// Looked which arm the subscriber gets; nil when none.
    case arm(SplitLook, index: Int?)
    /// Looked whether the subscriber may have an offer.
    case caps(CapsLook)
    /// Looked whether Apple has approved what would be shown. The locale is that of the first identifier which it has
    /// not, or none. `isFinal` says that the message lets no other locale stand in for it.
    case approval(passes: Bool, masked: EntryReference, isFinal: Bool)
    /// Looked for a message in one locale.
    case locale(LocaleAttempt)
    /// Looked whether the outcome can be signed.
    case signing(OutcomeKind, isPossible: Bool)
    /// Came to what one who is held out gets; the steps behind are about that.
    case holdoutOutcome
    /// Came to the default; false when there is none.
    case defaultOutcome(exists: Bool)
}

/// One look at where a subscriber stands in a split.
package struct SplitLook: Sendable, Hashable {
    /// The split.
    package let split: EntryReference
    /// The hash of salt and unit; nil when the unit is missing.
    package let hash: UInt32?
    /// Whether the bucket is below the split's basis points; false when the unit is missing.
    package let isIn: Bool

    /// The bucket; nil when the unit is missing.
    package var bucket: Int? { hash.map(Bucketing.bucket(ofHash:)) }
}

/// One look at whether a subscriber may have an offer.
package struct CapsLook: Sendable, Hashable {
    /// What came of it.
    package enum Verdict: Sendable, Hashable {
        /// May have it.
        case passes
        /// Has accepted as many as one may.
        case tooMany
        /// The last one is too recent.
        case tooSoon
        /// A fact is missing; the rules say which way that counts.
        case unknown(passes: Bool)

        /// Whether the offer may be made.
        package var passes: Bool {
            switch self {
            case .passes: true
            case .tooMany, .tooSoon: false
            case .unknown(let passes): passes
            }
        }
    }

    /// The offers accepted; nil when missing.
    package let accepted: Int64?
    /// The date of the last one, milliseconds since 1970; nil when missing.
    package let last: Int64?
    /// What came of it.
    package let verdict: Verdict
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
    /// Whether the message has it and may be shown.
    package let isFound: Bool
    /// Whether the message has it and may not be shown.
    package let isMasked: Bool
}

/// Hears of the steps of a decision. The server's own hears nothing and costs nothing: steps are made only for one
/// who asks.
protocol DecisionTracer {
    /// Whether it hears anything.
    static var isListening: Bool { get }
    mutating func record(_ step: @autoclosure () -> DecisionStep)
}

/// The tracer of the server.
struct NoTracer: DecisionTracer {
    static var isListening: Bool { false }

    @inline(__always)
    func record(_ step: @autoclosure () -> DecisionStep) {}
}

/// A tracer that keeps everything.
struct StepRecorder: DecisionTracer {
    static var isListening: Bool { true }
    var steps: [DecisionStep] = []

    mutating func record(_ step: @autoclosure () -> DecisionStep) {
        steps.append(step())
    }
}
