public import AppStoreServerAPI
public import Vocabulary

/// The steps of a plan that `catalogue apply` did, and those that it did not do.
public struct ApplyReport: Sendable, Hashable {
    /// A step that was not done, and why.
    public struct Refusal: Sendable, Hashable {
        public let step: CataloguePlan.Step
        /// The stable code of the reason.
        public let code: String
        /// The meaning of the reason, and what to do, as sentences.
        public let message: String
    }

    public internal(set) var done: [CataloguePlan.Step] = []
    /// The steps that Apple refused, or that could not be sent. They fail again until the catalogue is changed.
    public internal(set) var refused: [Refusal] = []
    /// The steps that need something that was refused.
    public internal(set) var held: [CataloguePlan.Step] = []
    /// The steps that need something that Apple has not approved yet. A later run does them.
    public internal(set) var waiting: [CataloguePlan.Step] = []
    /// The steps that were not begun, because an error ended the run. A later run does them.
    public internal(set) var notReached: [CataloguePlan.Step] = []
    /// The error that ended the run; nil when the run came to every step.
    public internal(set) var failure: ApplyFailure?

    public init() {}

    /// True when everything in the plan was done.
    public var isComplete: Bool {
        failure == nil && refused.isEmpty && held.isEmpty && waiting.isEmpty && notReached.isEmpty
    }

    /// True when nothing failed, and every step that is left waits for Apple's review.
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

/// The progress of a run of `catalogue apply`.
public struct ApplyProgress: Sendable, Hashable {
    /// The activities of a run.
    public enum Activity: Sendable, Hashable {
        /// A step is being done.
        case step(CataloguePlan.Step)
        /// Apple is reviewing this number of images and messages. The run asks for their states again at the given time,
        /// milliseconds since 1970.
        case review(Int, untilMilliseconds: Int64)
        /// Apple's lists could not be read while the run waits for the review. The run asks again at the given time,
        /// milliseconds since 1970.
        case outage(AppStoreServerAPIError, untilMilliseconds: Int64)
    }

    public let activity: Activity
    /// The number of steps behind this one, done or not.
    public let passedCount: Int
    /// The number of steps in the plan, without waits.
    public let stepCount: Int
}
