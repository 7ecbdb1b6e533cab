internal import AppStoreServerAPI
package import System

struct PlanMaker {
    /// The prospect that Apple shows an item that the catalogue wants.
    private enum Approval {
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

/// Something that keeps Apple from having what a catalogue wants, and that only the author of the catalogue can resolve.
package struct PlanProblem: Sendable, Hashable {
    /// What keeps Apple from having what the catalogue wants.
    package enum Reason: Sendable, Hashable {
        case rejected
        /// Apple had the image or the message, and its list no longer shows it. Its identifier may be refused.
        case deleted
        /// Apple refused to upload the image or the message, because its identifier was used before, and does not list it.
        case identifierUsed
        /// The catalogue pins an identifier that Apple's list does not show.
        case pinMissing
        case otherSize(String)
        case imageBlocked([UUID])
        /// Apple takes no more of this kind. The number is how many do not fit.
        case tooMany(CatalogueItem.Kind, excess: Int, orphans: Int)
    }

    /// What keeps Apple from having the item, or items of a whole kind.
    package let reason: Reason
    /// The image or the message; nil for a problem of a whole kind.
    package let item: CatalogueItem?
    /// The name of the item for people; empty for a problem of a whole kind.
    package let name: String
    /// The place of the item in the catalogue, such as `messages.value_reminder.en-US`; empty for a problem of a whole kind.
    package let path: String
    /// The revision that gives the same content a new identifier; nil when a new identifier does not help.
    package let proposedRevision: Int64?
    /// The number of default messages that cannot be set because of the problem.
    package internal(set) var heldDefaultCount = 0

    package var code: String {
        switch reason {
        case .rejected, .imageBlocked: "catalogue.rejected"
        case .deleted, .identifierUsed: "catalogue.identifier-used"
        case .pinMissing, .otherSize: "catalogue.pin-changed"
        case .tooMany: "catalogue.too-many"
        }
    }

    package var finding: Finding {
        Finding(code: code, severity: .warning, message, hint: advice, path: path)
    }

    private var kind: String { item?.kind.rawValue ?? "" }

    private var message: String {
        let held =
            switch heldDefaultCount {
            case 0: ""
            case 1: "; a default message needs it"
            default: "; \(heldDefaultCount) default messages need it"
            }
        switch reason {
        case .rejected: return "Apple rejected the \(kind) \(name)\(held)"
        case .deleted: return "the \(kind) \(name) was at Apple, and Apple no longer lists it\(held)"
        case .identifierUsed:
            return
                "Apple refused the identifier of the \(kind) \(name): it was used and deleted before\(held)"
        case .pinMissing: return "Apple does not list the \(kind) \(name), which the catalogue pins\(held)"
        case .otherSize(let size): return "Apple lists the image \(name) with the size \(size)\(held)"
        case .imageBlocked(let images):
            let list = images.map(\.description).joined(separator: ", ")
            return "the message \(name) needs \(list), which Apple will not show\(held)"
        case .tooMany(let kind, let excess, _):
            return "\(CountText.of(excess, kind.rawValue)) more than Apple takes\(held)"
        }
    }

    /// Returns the advice to give the content at a path of the catalogue a new identifier.
    static func advice(_ words: String, revision: Int64, path: String) -> String {
        "\(words) \"revision\": \(revision) at \(path) for a new identifier"
    }

    private var advice: String? {
        if let proposedRevision {
            let words =
                if case .rejected = reason { "change the content, or set" } else { "set" }
            return Self.advice(words, revision: proposedRevision, path: path)
        }
        switch reason {
        case .rejected, .deleted, .identifierUsed, .pinMissing:
            return "remove the pin to upload it under a new identifier"
        case .otherSize: return "pin the image whose size the catalogue gives"
        case .imageBlocked: return "resolve the problem of the image first"
        case .tooMany(_, _, let orphans):
            return orphans > 0
                ? "\"retentionctl catalogue apply --prune\" deletes \(orphans) that the catalogue does not name"
                : nil
        }
    }
}
