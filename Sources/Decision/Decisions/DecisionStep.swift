internal import DataFiles

/// One step that a decision took. A recording tracer gets the steps in the order in which they are taken. References
/// are numbers of the rules file.
enum DecisionStep: Sendable, Hashable {
    /// The check of the kill switch.
    case killSwitch(isOn: Bool)
    /// The check that the file is for the request's app and environment.
    case app(matches: Bool)
    /// The draw of the holdout; nil when the holdout is over.
    case holdout(SplitDraw?)
    /// The start of a rule. A rule that is no candidate cannot match for the product; the server passes over it without
    /// reading it.
    case rule(index: Int, isCandidate: Bool)
    /// The check whether the rule is switched on.
    case enabled(Bool)
    /// The check of the rule's window.
    case window(isOpen: Bool)
    /// The evaluation of one node of a condition; children come before their group.
    case node(index: Int, Truth)
    /// The evaluation of the rule's whole condition; nil when the rule has no condition.
    case when(Truth?)
    /// The draw of the rule's rollout.
    case rollout(SplitDraw)
    /// The draw of the rule's arm; `index` is nil when no arm could be drawn.
    case arm(SplitDraw, index: Int?)
    /// The check whether the caps allow the subscriber an offer.
    case caps(CapsCheck)
    /// The check whether Apple has approved the message. `masked` is the locale of the first identifier that Apple has
    /// not approved, or `none`. `isFinal` says that the message allows no other locale in its place.
    case approval(passes: Bool, masked: EntryReference, isFinal: Bool)
    /// The search for the message in one locale.
    case locale(LocaleAttempt)
    /// The check whether the service can sign the outcome.
    case signing(OutcomeKind, isPossible: Bool)
    /// The start of the holdout's outcome; the steps after it belong to that outcome.
    case holdoutOutcome
    /// The start of the default; false when the file has no default.
    case defaultOutcome(exists: Bool)
}

/// The draw of a subscriber's bucket in a split.
struct SplitDraw: Sendable, Hashable {
    /// The split in the file.
    let split: EntryReference
    /// The hash of salt and unit; nil when the unit (the fact that is hashed) is missing.
    let hash: UInt32?
    /// True when the bucket is below the split's basis points; false when the unit is missing.
    let isIn: Bool

    /// The bucket, 0 to 9999; nil when the unit is missing.
    var bucket: Int? { hash.map(Bucketing.bucket(ofHash:)) }
}

/// The check whether the caps allow a subscriber an offer.
struct CapsCheck: Sendable, Hashable {
    /// The result of the check.
    enum Verdict: Sendable, Hashable {
        /// The offer may be made.
        case passes
        /// The subscriber has accepted as many offers as the caps allow.
        case tooMany
        /// The last offer is too recent.
        case tooSoon
        /// A fact is missing; `whenUnknown` of the caps says whether the offer may be made all the same.
        case unknown(passes: Bool)

        /// True when the offer may be made.
        var passes: Bool {
            switch self {
            case .passes: true
            case .tooMany, .tooSoon: false
            case .unknown(let passes): passes
            }
        }
    }

    /// The number of accepted offers; nil when the fact is missing.
    let accepted: Int64?
    /// The date of the last offer, milliseconds since 1970; nil when the fact is missing.
    let last: Int64?
    /// The result of the check.
    let verdict: Verdict
}

/// The search for a message in one locale.
struct LocaleAttempt: Sendable, Hashable {
    /// Why the search tried a locale.
    enum Origin: String, Sendable, Hashable {
        /// It is the subscriber's locale.
        case subscriber
        /// It is the fallback of the locale tried before.
        case fallback
        /// It is `last`, the locale that the file tries after all others.
        case last
    }

    /// Why the search tried this locale.
    let origin: Origin
    /// The locale as a string of the file; `none` when the file does not have the string.
    let locale: EntryReference
    /// True when the message has this locale and may be shown in it.
    let isFound: Bool
    /// True when the message has this locale but may not be shown in it, because Apple has not approved it.
    let isMasked: Bool
}

/// Receives the steps of a decision. The server's tracer, ``NoTracer``, ignores them and costs nothing: a step is only
/// built when a tracer asks for it.
protocol DecisionTracer {
    /// True when the tracer wants the steps. If not, the evaluation leaves out the work that only a tracer needs.
    static var isRecording: Bool { get }
    mutating func record(_ step: @autoclosure () -> DecisionStep)
}

/// The tracer of the server. It ignores every step.
struct NoTracer: DecisionTracer {
    static var isRecording: Bool { false }

    @inline(__always)
    func record(_ step: @autoclosure () -> DecisionStep) {}
}

/// A tracer that keeps every step.
struct StepRecorder: DecisionTracer {
    static var isRecording: Bool { true }
    var steps: [DecisionStep] = []

    mutating func record(_ step: @autoclosure () -> DecisionStep) {
        steps.append(step())
    }
}
