package import AppStoreServerAPI
internal import Cryptography
package import System

/// Does the steps of a plan at Apple: uploads images, then messages, sets the default messages whose parts are approved, sets the
/// URL, and deletes orphans last.
///
/// Every upload and every default message is in the state before it is sent. When the process ends at any point, a new plan from
/// Apple's lists and the state has exactly what is left. Without a state the plan has more default messages, which are set
/// again; that changes nothing.
package final class CatalogueApply {
    package typealias ImageReader = (ResolvedCatalogue.Image) throws -> [UInt8]
    private typealias Step = CataloguePlan.Step

    /// How long a run waits for Apple's review.
    package enum ReviewWait: Sendable, Hashable {
        /// The run asks Apple once. Default messages whose parts are not approved are left to a later run.
        case none
        /// The run asks again until nothing is under review, at the latest until this time, milliseconds since 1970.
        case until(milliseconds: Int64)
    }

    private let api: any RetentionMessagingAPI
    private let file: StateFile
    private let timing: ClientTiming
    private let readImage: ImageReader
    private let progress: (ApplyProgress) -> Void
    private var plan: CataloguePlan
    private var images: [UUID: [UUID]] = [:]
    /// The items that Apple refused, and those that cannot be uploaded because of that.
    private var unavailable: Set<CatalogueItem> = []
    private var limitRefusals: [CatalogueItem.Kind: AppStoreServerAPIError] = [:]
    private var hasAskedDefaults = false
    private var leftCount: Int

    /// The client retries and keeps to the rates by itself. `progress` is called before each step and each wait.
    package init(
        _ plan: CataloguePlan, _ api: any RetentionMessagingAPI, _ file: StateFile, timing: ClientTiming,
        readImage: @escaping ImageReader, progress: @escaping (ApplyProgress) -> Void = { _ in }
    ) {
        self.plan = plan
        self.api = api
        self.file = file
        self.timing = timing
        self.readImage = readImage
        self.progress = progress
        leftCount = plan.changeCount
    }

    /// Does the steps. An error that concerns one step alone leaves that step and the steps that need it undone. Any other
    /// error ends the run. Called once.
    /// `images` are those of each message, by the identifier of the message.
    package func run(images: [UUID: [UUID]], wait: ReviewWait) -> CataloguePlan {
        self.images = images
        do {
            for place in plan.steps.indices where plan.steps[place].outcome == .planned {
                switch plan.steps[place].action {
                case .uploadImage(let image): try upload(image, place)
                case .uploadMessage(let message): try upload(message, place)
                case .waitForApproval: break
                case .setDefault: try setDefaults(wait)
                case .setURL(_, let url): try setURL(url, place)
                case .delete(let orphan): try delete(orphan, place)
                }
            }
        } catch {
            plan.failure = ToolError(error)
        }
        return plan
    }

    private func change(_ event: AppleState.Event) throws {
        try file.change { $0.add(event, at: timing.now()) }
    }

    private func begin(_ place: Int) { progress(.step(plan.steps[place], left: leftCount)) }

    private func end(_ place: Int, _ outcome: CataloguePlan.Outcome) {
        plan.steps[place].outcome = outcome
        leftCount -= 1
    }

    private func refuse(_ place: Int, _ error: some CodedError & CustomStringConvertible) {
        end(place, .refused(code: error.code, message: error.description))
    }

    // MARK: Uploads

    private func upload(_ image: ResolvedCatalogue.Image, _ place: Int) throws {
        let item = CatalogueItem(.image, image.identifier)
        begin(place)
        let png: [UInt8]
        do {
            png = try readImage(image)
        } catch {
            unavailable.insert(item)
            return refuse(place, ToolError(error))
        }
        guard SHA256.hash(png.span) == image.fileDigest else {
            unavailable.insert(item)
            return refuse(place, ToolError.imageChanged(image.file))
        }
        try upload(item, image.names.first ?? "", place) { api throws(AppStoreServerAPIError) in
            _ = try api.uploadImage(png, as: image.identifier, size: image.size)
        }
    }

    private func upload(_ message: ResolvedCatalogue.Message, _ place: Int) throws {
        let item = CatalogueItem(.message, message.identifier)
        guard !message.images.contains(where: { unavailable.contains(CatalogueItem(.image, $0)) }) else {
            unavailable.insert(item)
            return end(place, .held)
        }
        begin(place)
        try upload(item, "\(message.name) \(message.locale)", place) { api throws(AppStoreServerAPIError) in
            _ = try api.uploadMessage(message.body, as: message.identifier)
        }
    }

    private func upload(
        _ item: CatalogueItem, _ name: String, _ place: Int,
        _ call: (any RetentionMessagingAPI) throws(AppStoreServerAPIError) -> Void
    ) throws {
        if let refusal = limitRefusals[item.kind] {
            unavailable.insert(item)
            return refuse(place, refusal)
        }
        try change(.uploadStarted(item, name: name))
        do throws(AppStoreServerAPIError) {
            try call(api)
        } catch {
            if error.appleCode == .imageAlreadyExists || error.appleCode == .messageAlreadyExists {
                return try resolveConflict(item, place, error)
            }
            if error.scope == .run { throw error }
            if error.scope == .kind { limitRefusals[item.kind] = error }
            try change(.refused(item, isIdentifierUsed: false))
            unavailable.insert(item)
            return refuse(place, error)
        }
        try change(.uploadDone(item))
        end(place, .done)
    }

    /// When Apple lists the item, an earlier call whose answer was lost, or another process, has uploaded it. Otherwise
    /// the identifier was used before, and its item was deleted.
    private func resolveConflict(_ item: CatalogueItem, _ place: Int, _ failure: AppStoreServerAPIError)
        throws
    {
        if try isListed(item) {
            try change(.uploadDone(item))
            return end(place, .done)
        }
        try change(.refused(item, isIdentifierUsed: true))
        unavailable.insert(item)
        let words =
            "Apple refuses the identifier and does not list it, so it was used and deleted before: "
            + "\(plan.steps[place].advice)."
        end(place, .refused(code: "catalogue.identifier-used", message: words))
    }

    private func isListed(_ item: CatalogueItem) throws(AppStoreServerAPIError) -> Bool {
        switch item.kind {
        case .image: try api.listImages().contains { $0.imageIdentifier == item.identifier }
        case .message: try api.listMessages().contains { $0.messageIdentifier == item.identifier }
        }
    }

    // MARK: Default messages and the URL

    /// The first wait between two requests for Apple's lists: Sandbox allows six lists in a minute.
    private static let firstPauseMilliseconds: Int64 = 10_000
    /// The longest wait between two requests for them. Apple's reviews take hours or days.
    private static let longestPauseMilliseconds: Int64 = 300_000

    /// Sets all default messages, each as soon as everything that it shows is approved.
    private func setDefaults(_ wait: ReviewWait) throws {
        var rest = plan.steps.indices.filter { place in
            if case .setDefault = plan.steps[place].action { true } else { false }
        }
        var pause = Self.firstPauseMilliseconds
        while true {
            do {
                try file.look(api, at: timing.now, asksURL: false)
            } catch {
                // A wait may last for days. An outage in them does not end it.
                guard let failure = error as? AppStoreServerAPIError, failure.mayPass,
                    case .until(let end) = wait, timing.now() < end
                else { throw error }
                self.pause(&pause, end) { .outage(failure, untilMilliseconds: $0) }
                continue
            }
            var later: [Int] = []
            var reviewed: Set<CatalogueItem> = []
            for place in rest {
                guard case .setDefault(let change) = plan.steps[place].action else { continue }
                let message = CatalogueItem(.message, change.identifier)
                let needed = [message] + (images[change.identifier] ?? []).map { CatalogueItem(.image, $0) }
                let states = needed.map { ($0, file.state.items[$0]?.state) }
                let open = states.filter { $0.1 != .approved }
                if open.isEmpty {
                    // Apple may need a moment after its list said approved.
                    if try !setDefault(change, place) { later.append(place) }
                } else if open.contains(where: { unavailable.contains($0.0) || $0.1 == .rejected }) {
                    end(place, .held)
                } else {
                    reviewed.formUnion(open.map(\.0))
                    later.append(place)
                }
            }
            rest = later
            guard !rest.isEmpty, case .until(let end) = wait, timing.now() < end else { break }
            self.pause(&pause, end) { .review(reviewed.count, untilMilliseconds: $0) }
        }
        for place in rest { end(place, .waiting) }
        for place in plan.steps.indices where !plan.steps[place].isChange {
            plan.steps[place].outcome = rest.isEmpty ? .done : .waiting
        }
    }

    private func pause(
        _ milliseconds: inout Int64, _ end: Int64, _ activity: (Int64) -> ApplyProgress
    ) {
        let next = min(timing.now() + milliseconds, end)
        progress(activity(next))
        timing.sleep(max(0, next - timing.now()))
        milliseconds = min(milliseconds * 2, Self.longestPauseMilliseconds)
    }

    /// Returns false when Apple says that the message or an image of it is not approved.
    private func setDefault(_ change: CataloguePlan.DefaultChange, _ place: Int) throws -> Bool {
        begin(place)
        try self.change(.defaultStarted(change.place))
        do throws(AppStoreServerAPIError) {
            try api.setDefaultMessage(
                change.identifier, productId: change.place.product, locale: change.place.locale)
        } catch {
            guard error.scope != .run else { throw error }
            try self.change(.defaultRefused(change.place))
            guard error.scope != .approval else { return false }
            refuse(place, error)
            return true
        }
        try self.change(.defaultSet(change.place, change.identifier))
        end(place, .done)
        return true
    }

    /// Sets the URL. While default messages wait for Apple's review, the URL waits as well: without them Apple shows nothing.
    private func setURL(_ url: String, _ place: Int) throws {
        guard !plan.steps.contains(where: { $0.outcome == .waiting }) else { return end(place, .waiting) }
        begin(place)
        do throws(AppStoreServerAPIError) {
            try api.setRealtimeURL(url)
        } catch {
            guard error.scope != .run else { throw error }
            return refuse(place, error)
        }
        end(place, .done)
    }

    // MARK: Deletions

    /// Before the first message is deleted, Apple is asked for every default message: another machine may have set one.
    private func delete(_ orphan: CataloguePlan.Orphan, _ place: Int) throws {
        let item = orphan.item
        if item.kind == .message {
            if !hasAskedDefaults {
                hasAskedDefaults = true
                try file.askDefaults(plan.askedDefaults, api, at: timing.now) {
                    progress(.defaults($0, of: $1))
                }
            }
            let users = AppleState.users(file.state.defaultPlaces[item.identifier])
            guard users.isEmpty else { return end(place, .kept(users)) }
        }
        begin(place)
        do throws(AppStoreServerAPIError) {
            _ =
                switch item.kind {
                case .image: try api.deleteImage(item.identifier)
                case .message: try api.deleteMessage(item.identifier)
                }
        } catch {
            switch error.appleCode {
            // Somebody else has deleted it.
            case .imageNotFound, .messageNotFound: break
            // Apple's lists do not say beforehand which messages name an image.
            case .imageInUse: return end(place, .kept(["a message that stays"]))
            default:
                guard error.scope != .run else { throw error }
                return refuse(place, error)
            }
        }
        try change(.deleted(item))
        end(place, .done)
    }
}

/// What a run does now. Times are milliseconds since 1970.
package enum ApplyProgress: Sendable, Hashable {
    case step(CataloguePlan.Step, left: Int)
    /// Apple is reviewing this number of images and messages. The run asks for their states again at the given time.
    case review(Int, untilMilliseconds: Int64)
    /// Apple's lists could not be read while the run waits for the review. The run asks again at the given time.
    case outage(AppStoreServerAPIError, untilMilliseconds: Int64)
    case defaults(Int, of: Int)
}

/// How far an error of one call reaches: which other calls it prevents.
enum FailureScope {
    /// Apple refuses this call for its content. Other calls may succeed.
    case call
    /// Apple takes no more of this kind.
    case kind
    /// Apple has not approved something that the call names. The same call may succeed later.
    case approval
    /// Other calls would fail as well, or the outcome of this call is not known. The run ends.
    case run
}

extension AppStoreServerAPIError {
    var scope: FailureScope {
        switch self {
        case .refused(let refusal):
            switch refusal.knownCode {
            case .tooManyImages, .tooManyMessages: return .kind
            case .messageNotApproved, .imageNotApproved: return .approval
            case .rateLimitExceeded, .internalError, .internalErrorRetryable: return .run
            default:
                // A refusal without an error object comes from something other than Apple's service.
                let isClientError = (400..<500).contains(refusal.status) && refusal.status != 429
                return isClientError && refusal.errorCode != nil ? .call : .run
            }
        case .invalid: return .call
        case .unauthorized, .noAccess, .rateLimited, .transport, .malformed, .outcomeUnknown, .signing:
            return .run
        }
    }
}

extension CataloguePlan.Step {
    fileprivate var advice: String {
        switch action {
        case .uploadImage(let image):
            PlanProblem.advice("set", revision: image.isPinned ? nil : image.revision + 1, path: image.path)
        case .uploadMessage(let message):
            PlanProblem.advice(
                "set", revision: message.isPinned ? nil : message.revision + 1, path: message.path)
        case .waitForApproval, .setDefault, .setURL, .delete: ""
        }
    }
}
