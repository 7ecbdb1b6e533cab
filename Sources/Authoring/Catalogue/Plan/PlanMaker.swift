internal import AppStoreServerAPI
internal import System

/// Makes a plan: compares each image, message and default message of a catalogue with what is at Apple.
struct PlanMaker {
    /// The prospect that Apple shows an item that the catalogue wants.
    private enum Approval {
        /// Apple has approved the item.
        case approved
        /// Apple is reviewing the item, or will review it after the upload.
        case expected
        /// Apple will not approve the item. The number is the index of the problem in the plan.
        case blocked(problem: Int)
    }

    private let catalogue: ResolvedCatalogue
    private let state: AppleState
    private var plan: CataloguePlan
    private var approvals: [CatalogueItem: Approval] = [:]
    private var uploadCounts: [CatalogueItem.Kind: Int] = [:]
    private var excess: [CatalogueItem.Kind: (count: Int, problem: Int)] = [:]

    init(_ catalogue: ResolvedCatalogue, _ state: AppleState) {
        self.catalogue = catalogue
        self.state = state
        plan = CataloguePlan(environment: catalogue.environment, bundleId: catalogue.bundleId)
    }

    consuming func make(_ pruning: Pruning?) -> CataloguePlan {
        findOrphans()
        for image in catalogue.images { add(image) }
        for message in catalogue.messages { add(message) }
        addDefaults()
        addURL()
        if let pruning { plan.addDeletions(pruning, state) }
        return plan
    }

    private func listed(_ item: CatalogueItem) -> ReviewState? { state.items[item]?.state }

    private mutating func findOrphans() {
        let wanted = catalogue.items
        for (item, listed) in state.listed {
            if item.kind == .image { plan.imagesAtApple += 1 } else { plan.messagesAtApple += 1 }
            guard !wanted.contains(item) else { continue }
            plan.orphans.append(.init(item: item, state: listed, name: state.items[item]?.name))
        }
        let places = Set(catalogue.defaults.map { ProductLocale(product: $0.product, locale: $0.locale) })
        plan.formerDefaults = state.defaults
            .filter { $0.value.identifier != nil && !places.contains($0.key) }.map(\.key)
            .sorted()
    }

    // MARK: Images and messages

    private mutating func add(_ image: ResolvedCatalogue.Image) {
        let item = CatalogueItem(.image, image.identifier)
        let name = image.names.first ?? ""
        let revision = image.isPinned ? nil : image.revision + 1
        if let listed = state.items[item]?.size, listed != image.size.rawValue, self.listed(item) != nil {
            block(item, .otherSize(listed), name, image.path, nil)
        } else if needsUpload(item, name, image.path, isPinned: image.isPinned, revision) {
            plan.steps.append(.init(.uploadImage(image)))
        } else if listed(item) != nil {
            plan.staying.imageCount += 1
        }
    }

    private mutating func add(_ message: ResolvedCatalogue.Message) {
        let item = CatalogueItem(.message, message.identifier)
        let name = "\(message.name) \(message.locale)"
        let path = message.path
        let blocked = message.images.filter { image in
            if case .blocked = approvals[CatalogueItem(.image, image)] { true } else { false }
        }
        if !blocked.isEmpty, listed(item) != .rejected {
            block(item, .imageBlocked(blocked), name, path, nil)
            if listed(item) != nil { plan.staying.messageCount += 1 }
            return
        }
        let revision = message.isPinned ? nil : message.revision + 1
        if needsUpload(item, name, path, isPinned: message.isPinned, revision) {
            plan.steps.append(.init(.uploadMessage(message)))
        } else if listed(item) != nil {
            plan.staying.messageCount += 1
        }
    }

    /// Returns true when an item has to be uploaded. Otherwise counts the item as staying under review, or adds the problem.
    private mutating func needsUpload(
        _ item: CatalogueItem, _ name: String, _ path: String, isPinned: Bool, _ revision: Int64?
    ) -> Bool {
        switch listed(item) {
        case .approved: approvals[item] = .approved
        case .rejected: block(item, .rejected, name, path, revision)
        case .pending, .other:
            approvals[item] = .expected
            plan.staying.pendingCount += 1
        case nil where isPinned: block(item, .pinMissing, name, path, nil)
        case nil where state.items[item]?.isIdentifierUsed == true:
            block(item, .identifierUsed, name, path, revision)
        case nil where state.items[item]?.wasThere == true: block(item, .deleted, name, path, revision)
        case nil: return hasRoom(item)
        }
        return false
    }

    /// Returns true when Apple takes one more of the item's kind.
    private mutating func hasRoom(_ item: CatalogueItem) -> Bool {
        let isImage = item.kind == .image
        let limit = isImage ? RetentionMessagingLimits.imageCount : RetentionMessagingLimits.messageCount
        let listed = isImage ? plan.imagesAtApple : plan.messagesAtApple
        guard listed + uploadCounts[item.kind, default: 0] >= limit else {
            uploadCounts[item.kind, default: 0] += 1
            approvals[item] = .expected
            return true
        }
        let orphans = plan.orphans.count { $0.item.kind == item.kind }
        let place = excess[item.kind]?.problem ?? plan.problems.count
        let count = (excess[item.kind]?.count ?? 0) + 1
        excess[item.kind] = (count, place)
        let problem = PlanProblem(
            reason: .tooMany(item.kind, excess: count, orphans: orphans), item: nil, name: "", path: "",
            proposedRevision: nil)
        if place == plan.problems.count {
            plan.problems.append(problem)
        } else {
            plan.problems[place] = problem
        }
        approvals[item] = .blocked(problem: place)
        return false
    }

    private mutating func block(
        _ item: CatalogueItem, _ reason: PlanProblem.Reason, _ name: String, _ path: String,
        _ revision: Int64?
    ) {
        approvals[item] = .blocked(problem: plan.problems.count)
        plan.problems.append(
            PlanProblem(reason: reason, item: item, name: name, path: path, proposedRevision: revision)
        )
    }

    // MARK: Default messages and the URL

    private mutating func addDefaults() {
        let images = catalogue.imagesByMessage
        var changes: [CataloguePlan.Step] = []
        var awaited: [CatalogueItem] = []
        var seen: Set<CatalogueItem> = []
        for entry in catalogue.defaults {
            let place = ProductLocale(product: entry.product, locale: entry.locale)
            let known = state.defaults[place]
            let message = CatalogueItem(.message, entry.identifier)
            let needed = [message] + (images[entry.identifier] ?? []).map { CatalogueItem(.image, $0) }
            if let known, known.identifier == entry.identifier,
                needed.allSatisfy({ isUnchanged($0, since: known.time) })
            {
                plan.staying.defaultCount += 1
                plan.staying.oldestDefault = min(plan.staying.oldestDefault ?? .max, known.time)
                continue
            }
            if case .blocked(let problem) = approvals[message] {
                plan.problems[problem].heldDefaultCount += 1
                continue
            }
            let former: CataloguePlan.DefaultChange.Former =
                known.map { known in
                    guard let identifier = known.identifier else { return .unset(at: known.time) }
                    return identifier == entry.identifier ? .unknown : .other(identifier, at: known.time)
                }
                ?? .unknown
            changes.append(
                .init(
                    .setDefault(
                        .init(
                            place: place, message: entry.message, identifier: entry.identifier, former: former
                        )))
            )
            for item in needed where listed(item) != .approved && seen.insert(item).inserted {
                awaited.append(item)
            }
        }
        if !awaited.isEmpty { plan.steps.append(.init(.waitForApproval(awaited))) }
        plan.steps += changes
    }

    /// Returns true when Apple listed an item in one state alone since a time. Apple does not say what becomes of a default
    /// message whose parts are rejected or deleted for a while, so it is set again then.
    private func isUnchanged(_ item: CatalogueItem, since time: Int64) -> Bool {
        state.items[item]?.changed ?? .min <= time
    }

    private mutating func addURL() {
        guard let url = catalogue.realtimeURL else {
            plan.formerURL = state.realtimeURL
            return
        }
        if state.realtimeURL == url {
            plan.staying.realtimeURL = url
        } else {
            plan.steps.append(.init(.setURL(replacing: state.realtimeURL, url)))
        }
    }
}
