internal import AppStoreServerAPI
internal import Vocabulary

/// Default messages, the wait for their approval, and the URL.
extension CatalogueApply {
    /// The first wait between two requests for Apple's lists: Sandbox allows six lists in a minute.
    private static let firstPauseMilliseconds: Int64 = 10_000
    /// The longest wait between two requests for them. Apple's reviews take hours or days.
    private static let longestPauseMilliseconds: Int64 = 300_000

    /// Sets default messages as soon as everything that they show is approved.
    ///
    /// - Parameters:
    ///   - steps: the steps of the plan, all of them default messages.
    ///   - images: the images of each message.
    ///   - wait: how long to wait for Apple's review.
    /// - Throws: the error that ends the run.
    func setDefaults(_ steps: [CataloguePlan.Step], images: [UUID: [UUID]], _ wait: ReviewWait)
        throws(ApplyFailure)
    {
        var rest = steps
        // Steps that Apple refused as not approved although its list said approved: it may need a moment.
        var refusedOnce: [CataloguePlan.Step] = []
        var pause = Self.firstPauseMilliseconds
        while true {
            let states: [CatalogueItem: ReviewState]
            do throws(ApplyFailure) {
                states = try requestStates()
            } catch {
                // A wait may last for days. An outage in them does not end it.
                guard case .api(let failure) = error, failure.mayPass, case .until(let end) = wait,
                    timing.now() < end
                else { throw error }
                self.pause(&pause, end) { .outage(failure, untilMilliseconds: $0) }
                continue
            }
            var later: [CataloguePlan.Step] = []
            var reviewed: Set<CatalogueItem> = []
            for step in rest {
                guard case .setDefault(let change) = step else { continue }
                let message = CatalogueItem(.message, change.identifier)
                let needed = [message] + (images[change.identifier] ?? []).map { CatalogueItem(.image, $0) }
                let open = needed.filter { states[$0] != .approved }
                if open.isEmpty {
                    guard let refusal = try setDefault(change, step) else { continue }
                    if case .until = wait, !refusedOnce.contains(step) {
                        refusedOnce.append(step)
                        later.append(step)
                    } else {
                        refuse(step, code: refusal.code, refusal.description)
                    }
                } else if open.contains(where: { unavailable.contains($0) || states[$0] == .rejected }) {
                    hold(step)
                } else {
                    reviewed.formUnion(open)
                    later.append(step)
                }
            }
            rest = later
            guard !rest.isEmpty, case .until(let end) = wait, timing.now() < end else { break }
            self.pause(&pause, end) { .review(reviewed.count, untilMilliseconds: $0) }
        }
        report.waiting += rest
        passedCount += rest.count
    }

    /// Waits before the next request for Apple's lists, at the latest until `end`. The wait after that is twice as long.
    ///
    /// - Parameters:
    ///   - milliseconds: the length of the wait.
    ///   - end: the end of all waits, milliseconds since 1970.
    ///   - activity: returns what to tell about a wait until the given time.
    private func pause(
        _ milliseconds: inout Int64, _ end: Int64, _ activity: (Int64) -> ApplyProgress.Activity
    ) {
        let next = min(timing.now() + milliseconds, end)
        progress(ApplyProgress(activity: activity(next), passedCount: passedCount, stepCount: stepCount))
        timing.sleep(max(0, next - timing.now()))
        milliseconds = min(milliseconds * 2, Self.longestPauseMilliseconds)
    }

    /// Asks for Apple's lists, records every state that has changed, and returns the states.
    private func requestStates() throws(ApplyFailure) -> [CatalogueItem: ReviewState] {
        let inventory = try AppStoreServerAPIError.mapped(
            to: ApplyFailure.api, try AppleInventory(asking: api, asksURL: false))
        try CatalogueJournalError.mapped(
            to: ApplyFailure.journal, try journal.record(inventory, at: timing.now()))
        return inventory.states
    }

    /// Sets one default message.
    ///
    /// - Returns: Apple's refusal when Apple says that the message or an image of it is not approved; nil otherwise.
    private func setDefault(_ change: CataloguePlan.DefaultChange, _ step: CataloguePlan.Step)
        throws(ApplyFailure) -> AppStoreServerAPIError?
    {
        begin(step)
        try record(.defaultStarted(change.place, change.identifier), isDurable: true)
        let answer: Result<Void, AppStoreServerAPIError> = Result { () throws(AppStoreServerAPIError) in
            try api.setDefaultMessage(
                change.identifier, productId: change.place.product, locale: change.place.locale)
        }
        let failure: AppStoreServerAPIError
        switch answer {
        case .success:
            try record(.defaultSet(change.place, change.identifier))
            finish(step)
            return nil
        case .failure(let error): failure = error
        }
        guard failure.scope != .run else { throw .api(failure) }
        try record(.defaultRefused(change.place, change.identifier))
        guard failure.scope != .approval else { return failure }
        refuse(step, code: failure.code, failure.description)
        return nil
    }

    /// Sets the URL. While default messages wait for Apple's review, the URL waits as well: without them Apple shows nothing.
    func setURL(_ url: String, _ step: CataloguePlan.Step) throws(ApplyFailure) {
        guard report.waiting.isEmpty else {
            report.waiting.append(step)
            return
        }
        begin(step)
        do throws(AppStoreServerAPIError) {
            try api.setRealtimeURL(url)
        } catch {
            guard error.scope != .run else { throw .api(error) }
            refuse(step, code: error.code, error.description)
            return
        }
        finish(step)
    }
}
