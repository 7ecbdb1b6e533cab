public import AppStoreServerAPI
public import Vocabulary

/// What `catalogue apply` did of a plan, and what it left.
public struct ApplyReport: Sendable, Hashable {
    /// A step that was not done, and why.
    public struct Refusal: Sendable, Hashable {
        /// The step.
        public let step: CataloguePlan.Step
        /// The stable code of the reason.
        public let code: String
        /// What the reason means and what to do, as sentences.
        public let message: String
    }

    /// The steps that were done.
    public internal(set) var done: [CataloguePlan.Step] = []
    /// The steps that Apple refused, or that could not be sent. Nothing but a change resolves them.
    public internal(set) var refused: [Refusal] = []
    /// The steps that need something that was refused.
    public internal(set) var held: [CataloguePlan.Step] = []
    /// The steps that need something that Apple has not approved yet. A later run does them.
    public internal(set) var waiting: [CataloguePlan.Step] = []
    /// The steps that were not begun, because an error ended the run. A later run does them.
    public internal(set) var notReached: [CataloguePlan.Step] = []
    /// The error that ended the run; nil when every step was looked at.
    public internal(set) var failure: ApplyFailure?

    /// Begins a report without steps.
    public init() {}

    /// True when everything in the plan was done.
    public var isComplete: Bool {
        failure == nil && refused.isEmpty && held.isEmpty && waiting.isEmpty && notReached.isEmpty
    }

    /// True when nothing failed, and what is left waits for Apple's review.
    public var isWaitingOnly: Bool {
        failure == nil && refused.isEmpty && held.isEmpty && notReached.isEmpty && !waiting.isEmpty
    }
}

/// An error that ends a run of `catalogue apply`. The next run goes on where this one ended.
public enum ApplyFailure: CodedError, Hashable, CustomStringConvertible {
    /// Apple's server could not be asked, or did not do its work.
    case api(AppStoreServerAPIError)
    /// The journal could not be written. Nothing is sent without it.
    case journal(CatalogueJournalError)

    /// The stable code: that of the error.
    public var code: String {
        switch self {
        case .api(let error): error.code
        case .journal(let error): error.code
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .api(let error): error.description
        case .journal(let error): error.description
        }
    }
}

/// How far a run of `catalogue apply` is.
public struct ApplyProgress: Sendable, Hashable {
    /// What is being done.
    public enum Activity: Sendable, Hashable {
        /// A step is being done.
        case step(CataloguePlan.Step)
        /// Apple is reviewing that many images and messages. They are asked for again at the given time, milliseconds since
        /// 1970.
        case review(Int, untilMilliseconds: Int64)
    }

    /// What is being done.
    public let activity: Activity
    /// The number of steps behind this one, done or not.
    public let passedCount: Int
    /// The number of steps in the plan, without waits.
    public let stepCount: Int
}
