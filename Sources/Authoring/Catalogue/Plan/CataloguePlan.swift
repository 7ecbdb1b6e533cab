package import AppStoreServerAPI
package import Rules
package import System

/// In the order in which `catalogue apply` does them. The same catalogue and state always give the same plan.
package struct CataloguePlan: Sendable, Hashable {
    package struct Step: Sendable, Hashable {
        package let action: Action
        package internal(set) var outcome = Outcome.planned

        init(_ action: Action, _ outcome: Outcome = .planned) {
            self.action = action
            self.outcome = outcome
        }
    }

    package enum Action: Sendable, Hashable {
        case uploadImage(ResolvedCatalogue.Image)
        case uploadMessage(ResolvedCatalogue.Message)
        /// Wait until Apple has approved the images and messages that default messages need.
        case waitForApproval([CatalogueItem])
        case setDefault(DefaultChange)
        /// Set the URL that Apple asks. The first string is the URL that Apple has.
        case setURL(replacing: String?, String)
        case delete(Orphan)
    }

    /// What became of a step.
    package enum Outcome: Sendable, Hashable {
        case planned
        case done
        /// Apple refused the step, or it could not be sent. It fails again until the catalogue is changed.
        case refused(code: String, message: String)
        /// The step needs something that was refused.
        case held
        /// The step needs something that Apple has not approved yet. A later run does it.
        case waiting
        /// An orphan is not deleted, because these name it.
        case kept([String])
    }

    package struct DefaultChange: Sendable, Hashable {
        /// The knowledge about the default message that is set now.
        package enum Former: Sendable, Hashable {
            /// Nothing is known: there is no state, or the outcome of a call was lost.
            case unknown
            /// Apple said at that time that none is set.
            case unset(at: Int64)
            /// Another message was set, or Apple named it, at that time.
            case other(UUID, at: Int64)
        }

        package let place: ProductLocale
        package let message: String
        package let identifier: UUID
        package let former: Former
    }

    /// An image or a message at Apple that the catalogue does not name. Without `--prune`, `catalogue apply` leaves it there.
    package struct Orphan: Sendable, Hashable {
        package let item: CatalogueItem
        package let state: ReviewState
        package let name: String?
    }

    package struct Staying: Sendable, Hashable {
        package internal(set) var imageCount = 0
        package internal(set) var messageCount = 0
        package internal(set) var pendingCount = 0
        package internal(set) var defaultCount = 0
        /// The time when the oldest of these default messages was set or asked for; nil when there are none.
        package internal(set) var oldestDefault: Int64?
        package internal(set) var realtimeURL: String?
    }

    package let environment: Environment
    package let bundleId: String
    package internal(set) var steps: [Step] = []
    /// The error that ended the run; nil when the run came to every step.
    package internal(set) var failure: ToolError?
    package internal(set) var staying = Staying()
    package internal(set) var orphans: [Orphan] = []
    /// Default messages that this machine set and the catalogue no longer names, by product and locale.
    package internal(set) var formerDefaults: [ProductLocale] = []
    /// The URL that Apple asks and the catalogue does not name; nil when no such URL is set.
    package internal(set) var formerURL: String?
    /// The problems that only the author of the catalogue can resolve.
    package internal(set) var problems: [PlanProblem] = []
    var askedDefaults: [ProductLocale] = []
    package internal(set) var imagesAtApple = 0
    package internal(set) var messagesAtApple = 0

    init(environment: Environment, bundleId: String) {
        self.environment = environment
        self.bundleId = bundleId
    }

    /// `state` is known after a look at Apple's lists. With `pruning` the plan deletes orphans.
    package init(_ catalogue: ResolvedCatalogue, _ state: AppleState, pruning: Pruning? = nil) {
        self = PlanMaker(catalogue, state).make(pruning)
    }

    package var hasChanges: Bool { changeCount > 0 }

    package var changeCount: Int { steps.count { $0.isChange && $0.outcome == .planned } }

    package var isComplete: Bool { failure == nil && steps.allSatisfy { $0.isSettled || !$0.isChange } }

    /// True when nothing failed, and every step that is left waits for Apple's review.
    package var isWaitingOnly: Bool {
        failure == nil && !isComplete
            && steps.allSatisfy { $0.isSettled || $0.outcome == .waiting || !$0.isChange }
    }
}

extension CataloguePlan.Step {
    var isChange: Bool { if case .waitForApproval = action { false } else { true } }

    /// True when nothing is left to do for the step.
    fileprivate var isSettled: Bool {
        switch outcome {
        case .done, .kept: true
        case .planned, .refused, .held, .waiting: false
        }
    }

    package var title: String {
        switch action {
        case .uploadImage(let image): "image \(image.names.first ?? "")"
        case .uploadMessage(let message): "message \(message.name) \(message.locale)"
        case .waitForApproval: "wait for approval"
        case .setDefault(let change): "default \(change.place.product) \(change.place.locale)"
        case .setURL: "url"
        case .delete(let orphan): "delete \(orphan.title)"
        }
    }
}

extension CataloguePlan.Orphan {
    var title: String {
        "\(item.kind.rawValue) \(item.identifier)" + (name.map { " (\($0))" } ?? "") + ", \(state.rawValue)"
    }
}

// MARK: Calls

/// The calls of a plan, and how long Apple's rates make them take when no other program uses them up.
package struct PlanEstimate: Sendable, Hashable {
    package struct Calls: Sendable, Hashable {
        package let operation: AppStoreServerOperation
        package let count: Int
        package let perHour: Int
    }

    package let calls: [Calls]
    /// The time that passes because of the rates. The network and Apple's review come on top.
    package let milliseconds: Int64

    package var text: String {
        guard !calls.isEmpty else { return "no calls" }
        let list = calls.map { "\($0.count) \($0.operation.name)" }.joined(separator: ", ")
        let time =
            milliseconds == 0
            ? "Apple's rates allow them at once"
            : "Apple's rates make them take \(DurationText.of(milliseconds)), besides the network"
        return "\(list); \(time)"
    }
}

extension CataloguePlan {
    package var estimate: PlanEstimate {
        var counts: [(operation: AppStoreServerOperation, count: Int)] = []
        func add(_ operation: AppStoreServerOperation, _ count: Int = 1) {
            guard count > 0 else { return }
            if let place = counts.firstIndex(where: { $0.operation == operation }) {
                counts[place].count += count
            } else {
                counts.append((operation, count))
            }
        }
        var asks = askedDefaults.count
        for step in steps where step.outcome == .planned {
            switch step.action {
            case .uploadImage: add(.uploadImage)
            case .uploadMessage: add(.uploadMessage)
            case .waitForApproval:
                add(.listImages)
                add(.listMessages)
            case .setDefault: add(.setDefault)
            case .setURL: add(.setURL)
            case .delete(let orphan) where orphan.item.kind == .image: add(.deleteImage)
            case .delete:
                add(.getDefault, asks)
                asks = 0
                add(.deleteMessage)
            }
        }
        let calls = counts.map { operation, count in
            PlanEstimate.Calls(
                operation: operation, count: count,
                perHour: RateLimits.callsPerHour(of: operation, in: environment))
        }
        // Calls are made at once until the hour's number is reached.
        let hours = calls.reduce(0) { $0 + ($1.count - 1) / $1.perHour }
        return PlanEstimate(calls: calls, milliseconds: Int64(hours) * RateLimits.hourMilliseconds)
    }
}

extension ResolvedCatalogue.Image {
    var path: String { "images.\(names.first ?? "")" }
}

extension ResolvedCatalogue.Message {
    var path: String { "messages.\(name).\(locale)" }
}

extension ResolvedCatalogue {
    var items: Set<CatalogueItem> {
        Set(
            images.map { CatalogueItem(.image, $0.identifier) }
                + messages.map { CatalogueItem(.message, $0.identifier) })
    }

    package var imagesByMessage: [UUID: [UUID]] {
        Dictionary(messages.map { ($0.identifier, $0.images) }) { first, _ in first }
    }
}

package struct Pruning: Sendable {
    let uses: CatalogueUses
    /// Every product in every locale: another machine may have set a default message in any of them.
    let places: [ProductLocale]

    package init(uses: CatalogueUses, places: [ProductLocale]) {
        self.uses = uses
        self.places = places
    }
}

extension CataloguePlan {
    /// Messages first, since Apple refuses to delete an image that a message names. One that rules name, or that stays
    /// the default message somewhere, is kept.
    mutating func addDeletions(_ pruning: Pruning, _ state: AppleState) {
        let replaced = Set(
            steps.compactMap { step in
                if case .setDefault(let change) = step.action { change.place } else { nil }
            })
        let places = state.defaultPlaces.mapValues { $0.filter { !replaced.contains($0) } }
        for kind in [CatalogueItem.Kind.message, .image] {
            for orphan in orphans where orphan.item.kind == kind {
                let identifier = orphan.item.identifier
                let users =
                    kind == .image
                    ? []
                    : (pruning.uses.rules[identifier] ?? []) + AppleState.users(places[identifier])
                steps.append(Step(.delete(orphan), users.isEmpty ? .planned : .kept(users)))
            }
        }
        askedDefaults = pruning.places
    }
}

extension AppleState {
    static func users(_ places: [ProductLocale]?) -> [String] {
        (places ?? []).map { "default message of \($0)" }
    }
}

package struct CatalogueUses: Sendable, Hashable {
    package private(set) var rules: [UUID: [String]] = [:]

    package init() {}

    /// A message that the file declares and no rule serves counts as used by the file.
    package mutating func add(_ model: RulesModel, file: String) {
        var names: [Int: [String]] = [:]
        for rule in model.rules {
            for message in Set(rule.choice.outcomes.compactMap(\.message)) {
                names[message, default: []].append(rule.id)
            }
        }
        if let message = model.defaultOutcome?.message { names[message, default: []].append("default") }
        if let message = model.holdout?.outcome.message { names[message, default: []].append("holdout") }
        for (index, message) in model.messages.enumerated() {
            let users = names[index].map { $0.map { "\(file): \($0)" } } ?? [file]
            for entry in message.identifiers { rules[entry.identifier, default: []] += users }
        }
    }
}
