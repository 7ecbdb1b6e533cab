internal import Facts

/// One step that a decision took. A recording tracer gets the steps in the order in which they are taken. References
/// are numbers of the rules file.
enum DecisionStep: Sendable, Hashable {
    case killSwitch(isOn: Bool)
    case app(matches: Bool)
    /// The draw of the holdout; nil when the holdout is over.
    case holdout(SplitDraw?)
    /// The start of a rule. A rule that is no candidate cannot match for the product; the server passes over it without
    /// reading it.
    case rule(index: Int, isCandidate: Bool)
    case enabled(Bool)
    case window(isOpen: Bool)
    /// The evaluation of one node of a condition; children come before their group.
    case node(index: Int, Truth)
    /// The evaluation of the rule's whole condition; nil when the rule has no condition.
    case when(Truth?)
    case rollout(SplitDraw)
    case arm(SplitDraw, index: Int?)
    case caps(CapsCheck)
    /// The check whether Apple has approved the message. `masked` is the locale of the first identifier that Apple has
    /// not approved, or `none`. `isFinal` says that the message allows no other locale in its place.
    case approval(passes: Bool, masked: EntryReference, isFinal: Bool)
    case locale(LocaleAttempt)
    case signing(OutcomeKind, isPossible: Bool)
    /// The start of the holdout's outcome; the steps after it belong to that outcome.
    case holdoutOutcome
    /// The start of the default; false when the file has no default.
    case defaultOutcome(exists: Bool)
}

/// The draw of a subscriber's bucket in a split.
struct SplitDraw: Sendable, Hashable {
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
    enum Verdict: Sendable, Hashable {
        case passes
        case tooMany
        case tooSoon
        /// A fact is missing; `whenUnknown` of the caps says whether the offer may be made all the same.
        case unknown(passes: Bool)

        var passes: Bool {
            switch self {
            case .passes: true
            case .tooMany, .tooSoon: false
            case .unknown(let passes): passes
            }
        }
    }

    let accepted: Int64?
    /// The date of the last offer, milliseconds since 1970; nil when the fact is missing.
    let last: Int64?
    let verdict: Verdict
}

/// The search for a message in one locale.
struct LocaleAttempt: Sendable, Hashable {
    enum Origin: String, Sendable, Hashable {
        case subscriber
        case fallback
        case last
    }

    let origin: Origin
    /// The locale as a string of the file; `none` when the file does not have the string.
    let locale: EntryReference
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

struct NoTracer: DecisionTracer {
    static var isRecording: Bool { false }

    @inline(__always)
    func record(_ step: @autoclosure () -> DecisionStep) {}
}

struct StepRecorder: DecisionTracer {
    static var isRecording: Bool { true }
    var steps: [DecisionStep] = []

    mutating func record(_ step: @autoclosure () -> DecisionStep) {
        steps.append(step())
    }
}
