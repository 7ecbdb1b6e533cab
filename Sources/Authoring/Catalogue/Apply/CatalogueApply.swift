public import AppStoreServerAPI
internal import Cryptography
public import Vocabulary

/// Does the steps of a plan at Apple: uploads images, then messages, sets the default messages whose parts are approved, and sets
/// the URL last.
///
/// Every call that changes something is in the journal before it is sent. When the process ends at any point, a new plan from
/// Apple's lists and the journal has exactly what is left. Without a journal the plan has more default messages, which are
/// set again; that changes nothing.
public final class CatalogueApply {
    /// Reads the PNG file of an image.
    public typealias ImageReader = (ResolvedCatalogue.Image) throws(ImageFiles.Problem) -> [UInt8]

    /// How long a run waits for Apple's review.
    public enum ReviewWait: Sendable, Hashable {
        /// The run asks Apple once. Default messages whose parts are not approved are left to a later run.
        case none
        /// The run asks again until nothing is under review, at the latest until this time, milliseconds since 1970.
        case until(milliseconds: Int64)
    }

    let api: any RetentionMessagingAPI
    let journal: CatalogueJournal
    let timing: ApplyTiming
    let readImage: ImageReader
    let progress: (ApplyProgress) -> Void
    var report = ApplyReport()
    /// The items that Apple refused, and those that cannot be uploaded because of that.
    var unavailable: Set<CatalogueItem> = []
    /// The kinds of which Apple takes no more, each with Apple's refusal.
    var limitRefusals: [CatalogueItem.Kind: ApplyReport.Refusal] = [:]
    var passedCount = 0
    var stepCount = 0

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - api: the client. It retries and keeps to the rates by itself.
    ///   - journal: the journal of the same app, environment and server.
    ///   - timing: the clock.
    ///   - readImage: reads the file of an image.
    ///   - progress: called before each step and each wait.
    public init(
        _ api: any RetentionMessagingAPI,
        journal: CatalogueJournal,
        timing: ApplyTiming,
        readImage: @escaping ImageReader,
        progress: @escaping (ApplyProgress) -> Void = { _ in }
    ) {
        self.api = api
        self.journal = journal
        self.timing = timing
        self.readImage = readImage
        self.progress = progress
    }

    /// Does the steps of a plan. An error that concerns one step alone leaves that step and the steps that need it undone. Any
    /// other error ends the run. Called once.
    ///
    /// - Parameters:
    ///   - plan: the plan.
    ///   - images: the images of each message, by the identifier of the message.
    ///   - wait: how long to wait for Apple's review.
    /// - Returns: what was done, and what was not.
    public func run(_ plan: CataloguePlan, images: [UUID: [UUID]], wait: ReviewWait) -> ApplyReport {
        var rest = plan.steps[...]
        stepCount = plan.changeCount
        do throws(ApplyFailure) {
            while let step = rest.first {
                switch step {
                case .uploadImage(let image): try upload(image, step)
                case .uploadMessage(let message): try upload(message, step)
                case .waitForApproval: break
                case .setDefault:
                    let changes = rest.prefix { if case .setDefault = $0 { true } else { false } }
                    try setDefaults(Array(changes), images: images, wait)
                    rest = rest.dropFirst(changes.count)
                    continue
                case .setURL(_, let url): try setURL(url, step)
                }
                rest = rest.dropFirst()
            }
        } catch {
            report.failure = error
            let settled = Set(report.done + report.refused.map(\.step) + report.held + report.waiting)
            report.notReached = rest.filter { step in
                if case .waitForApproval = step { return false }
                return !settled.contains(step)
            }
        }
        return report
    }

    /// Records an event. Nothing is sent when that fails.
    func record(_ event: JournalEvent, isDurable: Bool = false) throws(ApplyFailure) {
        try CatalogueJournalError.mapped(
            to: ApplyFailure.journal, try journal.record(event, at: timing.now(), isDurable: isDurable))
    }

    func begin(_ step: CataloguePlan.Step) {
        progress(ApplyProgress(activity: .step(step), passedCount: passedCount, stepCount: stepCount))
    }

    func finish(_ step: CataloguePlan.Step) {
        report.done.append(step)
        passedCount += 1
    }

    func refuse(_ step: CataloguePlan.Step, code: String, _ message: String) {
        report.refused.append(ApplyReport.Refusal(step: step, code: code, message: message))
        passedCount += 1
    }

    func hold(_ step: CataloguePlan.Step) {
        report.held.append(step)
        passedCount += 1
    }
}

/// The clock of a run. Tests replace both parts.
public struct ApplyTiming {
    /// Returns the time, milliseconds since 1970.
    public let now: () -> Int64
    /// Waits for that many milliseconds.
    public let sleep: (Int64) -> Void

    public init(now: @escaping () -> Int64, sleep: @escaping (Int64) -> Void) {
        self.now = now
        self.sleep = sleep
    }
}
