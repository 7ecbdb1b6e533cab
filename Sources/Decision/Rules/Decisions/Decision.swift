public import Facts
public import System

/// What a request gets, and why. Holds numbers only; the functions that return names look them up in the file.
public struct Decision: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        case nothing
        case serve(Content, messageIdentifier: UUID)
    }

    /// What the answer carries beside the message. The strings stay in the file: see ``RulesFile/text(at:)``.
    public enum Content: Sendable, Hashable {
        case message
        case `switch`(productId: FileString, billingPlanType: BillingPlanType?)
        case offer(productId: FileString, offerIdentifier: FileString)
        case advancedCommerce(request: FileString)

        public var kind: OutcomeKind {
            switch self {
            case .message: .message
            case .switch: .switch
            case .offer: .offer
            case .advancedCommerce: .advancedCommerce
            }
        }
    }

    public let outcome: Outcome
    public let reason: DecisionReason
    public let ruleIndex: Int?
    public let armIndex: Int?
    public let messageIndex: Int?
    public let skipped: SkippedRules
    public let isHeldOut: Bool
    /// What a subscriber in the holdout, or one whose offer was capped, would have got; nil for all others.
    public let shadow: Shadow?
    /// The rollouts and arms that were drawn before the decision, in rules that then did not serve. For a subscriber in the
    /// holdout they belong to the shadow: no draw could have been served.
    public let assigned: Assignments
    /// The locale whose message is served, as a string of the file, or `none`.
    public let locale: EntryReference

    public func ruleID(in file: RulesFile) -> String? {
        ruleIndex.flatMap { file.ruleID(at: $0) }
    }

    public func armName(in file: RulesFile) -> String? {
        guard let ruleIndex, let armIndex else { return nil }
        return file.armName(at: armIndex, ofRule: ruleIndex)
    }

    public func messageName(in file: RulesFile) -> String? {
        messageIndex.flatMap { file.messageName(at: $0) }
    }

    public func localeUsed(in file: RulesFile) -> String? {
        locale.isNone ? nil : file.string(locale)
    }
}

public struct Shadow: Sendable, Hashable {
    /// The reason. For a capped subscriber: the reason that the decision would have without caps.
    public let reason: DecisionReason
    public let ruleIndex: Int?
    public let armIndex: Int?
    public let messageIndex: Int?
    public let outcome: Decision.Outcome

    public func ruleID(in file: RulesFile) -> String? {
        ruleIndex.flatMap { file.ruleID(at: $0) }
    }

    public func armName(in file: RulesFile) -> String? {
        guard let ruleIndex, let armIndex else { return nil }
        return file.armName(at: armIndex, ofRule: ruleIndex)
    }

    public func messageName(in file: RulesFile) -> String? {
        messageIndex.flatMap { file.messageName(at: $0) }
    }
}

/// Why a decision came out as it did. The names are OpenFeature's where it has one, else ours in the same style.
public enum DecisionReason: String, Sendable, Hashable, CaseIterable {
    case targetingMatch = "TARGETING_MATCH"
    case split = "SPLIT"
    case `default` = "DEFAULT"
    case disabled = "DISABLED"
    case holdout = "HOLDOUT"
    case capped = "CAPPED"
    case unapproved = "UNAPPROVED"
    case noLocale = "NO_LOCALE"
    case signFailed = "SIGN_FAILED"
    case killSwitch = "KILL_SWITCH"
    case none = "NONE"
    case error = "ERROR"
}

extension DecisionReason {
    /// `DISABLED` is left out because a switched-off rule is passed over; `ERROR` and `SIGN_FAILED` because a test runs
    /// as if everything could be signed.
    public static let expectable = allCases.filter { ![.disabled, .error, .signFailed].contains($0) }
}

/// How many rules a decision passed over, by the step that failed; the default counts like a rule. A rule whose
/// condition is false is not counted, because that is the case for most.
public struct SkippedRules: Sendable, Hashable {
    public internal(set) var disabled: UInt32 = 0
    public internal(set) var outsideWindow: UInt32 = 0
    /// Rules whose condition is neither true nor false because a fact is missing.
    public internal(set) var unknownCondition: UInt32 = 0
    public internal(set) var notInRollout: UInt32 = 0
    /// Rules whose arm could not be drawn because a fact is missing.
    public internal(set) var noArm: UInt32 = 0
    /// Rules whose offer the caps forbade: too many offers, too soon after the last one, or not known.
    public internal(set) var capped: UInt32 = 0
    public internal(set) var unapproved: UInt32 = 0
    public internal(set) var noLocale: UInt32 = 0
    public internal(set) var signFailed: UInt32 = 0
}

/// A rule that drew a rollout or an arm for the subscriber and did not serve: the subscriber is not in the rollout, or a later
/// step failed. An analysis of an experiment must count the subscriber in the group that was drawn: if it leaves these
/// subscribers out, the groups are biased by what could be served.
public struct Assignment: Sendable, Hashable {
    /// The step that failed, under the name that ``explain(_:facts:using:)`` shows.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        case rollout
        case arm
        case caps
        case approval
        case locale
        case signing

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

    // Numbers of a rules file, which has fewer rules and arms than that.
    private let rule: UInt32
    private let arm: UInt16
    public let step: Step

    init(ruleIndex: Int, armIndex: Int?, step: Step) {
        rule = UInt32(truncatingIfNeeded: ruleIndex)
        arm = armIndex.map { UInt16(truncatingIfNeeded: $0) } ?? .max
        self.step = step
    }

    public var ruleIndex: Int { Int(rule) }
    public var armIndex: Int? { arm == .max ? nil : Int(arm) }

    public func ruleID(in file: RulesFile) -> String? { file.ruleID(at: ruleIndex) }

    public func armName(in file: RulesFile) -> String? {
        armIndex.flatMap { file.armName(at: $0, ofRule: ruleIndex) }
    }
}

/// The assignments of a decision, in the order of the rules. They lie in the decision itself: one that passes over rollouts, as
/// most do, allocates nothing for them.
public struct Assignments: Sendable, Hashable, RandomAccessCollection {
    /// The most assignments, those of the first rules: a line of the decision log stays short.
    public static let limit = 8

    private var all: [8 of Assignment] = .init(
        repeating: Assignment(ruleIndex: 0, armIndex: nil, step: .rollout))
    public private(set) var endIndex = 0
    public var startIndex: Int { 0 }

    mutating func append(_ assignment: Assignment) {
        guard endIndex < Self.limit else { return }
        all[endIndex] = assignment
        endIndex += 1
    }

    public subscript(index: Int) -> Assignment { all[index] }

    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }

    public func hash(into hasher: inout Hasher) {
        for assignment in self { hasher.combine(assignment) }
    }
}

public struct DecisionRequest: Sendable, Hashable {
    public var appAppleId: Int64
    public var environment: Environment
    public var productId: String
    public var userLocale: String
    public var originalTransactionId: String
    public var nowMilliseconds: Int64
    public var signing: SigningCapabilities

    public init(
        appAppleId: Int64, environment: Environment, productId: String, userLocale: String,
        originalTransactionId: String, nowMilliseconds: Int64, signing: SigningCapabilities = []
    ) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.productId = productId
        self.userLocale = userLocale
        self.originalTransactionId = originalTransactionId
        self.nowMilliseconds = nowMilliseconds
        self.signing = signing
    }
}

/// What the service can sign for the app of a request. A decision passes over an outcome that needs another signature.
public struct SigningCapabilities: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let offers = SigningCapabilities(rawValue: 1)
    public static let advancedCommerce = SigningCapabilities(rawValue: 2)
    public static let all: SigningCapabilities = [.offers, .advancedCommerce]
}

extension OutcomeKind {
    var neededSigning: SigningCapabilities {
        switch self {
        case .nothing, .message, .switch: []
        case .offer: .offers
        case .advancedCommerce: .advancedCommerce
        }
    }
}

extension Decision.Outcome {
    public var neededSigning: SigningCapabilities {
        switch self {
        case .nothing: []
        case .serve(let content, _): content.kind.neededSigning
        }
    }
}

extension RulesFile {
    /// The signatures that some outcome of the file needs; empty for most files.
    public var neededSigning: SigningCapabilities {
        withBytes { bytes in
            var needed: SigningCapabilities = []
            for index in 0..<tables.outcomes.count {
                let kind = tables.outcomes.record(at: index, in: bytes).flatMap {
                    OutcomeKind(rawValue: $0.kind)
                }
                needed.formUnion(kind?.neededSigning ?? [])
            }
            return needed
        }
    }
}
