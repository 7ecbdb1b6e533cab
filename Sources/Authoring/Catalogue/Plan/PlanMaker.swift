package import AppStoreServerAPI
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

    private struct Wanted {
        let item: CatalogueItem
        let name: String
        let path: String
        /// The revision that gives the same content a new identifier; nil for a pinned identifier.
        let newRevision: Int64?
    }

    private mutating func add(_ image: ResolvedCatalogue.Image) {
        let wanted = Wanted(
            item: CatalogueItem(.image, image.identifier), name: image.names.first ?? "", path: image.path,
            newRevision: image.isPinned ? nil : image.revision + 1)
        let known = state.items[wanted.item]
        if let size = known?.size, size != image.size.rawValue, known?.state != nil {
            block(
                wanted, code: "catalogue.pin-changed",
                "Apple lists the image \(wanted.name) with the size \(size)",
                hint: "pin the image whose size the catalogue gives", revision: nil)
        } else if needsUpload(wanted) {
            plan.steps.append(.init(.uploadImage(image)))
        } else if known?.state != nil {
            plan.staying.imageCount += 1
        }
    }

    private mutating func add(_ message: ResolvedCatalogue.Message) {
        let wanted = Wanted(
            item: CatalogueItem(.message, message.identifier), name: "\(message.name) \(message.locale)",
            path: message.path, newRevision: message.isPinned ? nil : message.revision + 1)
        let listed = state.items[wanted.item]?.state
        let blocked = message.images.filter { image in
            if case .blocked = approvals[CatalogueItem(.image, image)] { true } else { false }
        }
        if !blocked.isEmpty, listed != .rejected {
            let list = blocked.map(\.description).joined(separator: ", ")
            block(
                wanted, code: "catalogue.rejected",
                "the message \(wanted.name) needs \(list), which Apple will not show",
                hint: "resolve the problem of the image first", revision: nil)
            if listed != nil { plan.staying.messageCount += 1 }
        } else if needsUpload(wanted) {
            plan.steps.append(.init(.uploadMessage(message)))
        } else if listed != nil {
            plan.staying.messageCount += 1
        }
    }

    /// Returns true when an item has to be uploaded. Otherwise counts the item as staying under review, or adds the problem.
    private mutating func needsUpload(_ wanted: Wanted) -> Bool {
        let known = state.items[wanted.item]
        let title = "\(wanted.item.kind.rawValue) \(wanted.name)"
        switch known?.state {
        case .approved: approvals[wanted.item] = .approved
        case .rejected:
            block(
                wanted, code: "catalogue.rejected", "Apple rejected the \(title)",
                advice: "change the content, or set")
        case .pending, .other:
            approvals[wanted.item] = .expected
            plan.staying.pendingCount += 1
        case nil where wanted.newRevision == nil:
            block(
                wanted, code: "catalogue.pin-changed",
                "Apple does not list the \(title), which the catalogue pins", advice: "set")
        case nil where known?.isIdentifierUsed == true:
            block(
                wanted, code: "catalogue.identifier-used",
                "Apple refused the identifier of the \(title): it was used and deleted before", advice: "set")
        case nil where known?.wasThere == true:
            block(
                wanted, code: "catalogue.identifier-used",
                "the \(title) was at Apple, and Apple no longer lists it", advice: "set")
        case nil: return hasRoom(wanted.item)
        }
        return false
    }

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
        let hint =
            "\"retentionctl catalogue apply --prune\" deletes \(orphans) that the catalogue does not name"
        let problem = PlanProblem(
            code: "catalogue.too-many",
            words: "\(CountText.of(count, item.kind.rawValue)) more than Apple takes",
            hint: orphans > 0 ? hint : nil)
        if place == plan.problems.count {
            plan.problems.append(problem)
        } else {
            plan.problems[place] = problem
        }
        approvals[item] = .blocked(problem: place)
        return false
    }

    private mutating func block(_ wanted: Wanted, code: String, _ words: String, advice: String) {
        let hint = PlanProblem.advice(advice, revision: wanted.newRevision, path: wanted.path)
        block(wanted, code: code, words, hint: hint, revision: wanted.newRevision)
    }

    private mutating func block(
        _ wanted: Wanted, code: String, _ words: String, hint: String, revision: Int64?
    ) {
        approvals[wanted.item] = .blocked(problem: plan.problems.count)
        plan.problems.append(
            PlanProblem(
                code: code, words: words, hint: hint, item: wanted.item, name: wanted.name, path: wanted.path,
                proposedRevision: revision))
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
                        ))))
            for item in needed where state.items[item]?.state != .approved && seen.insert(item).inserted {
                awaited.append(item)
            }
        }
        if !awaited.isEmpty { plan.steps.append(.init(.waitForApproval(awaited))) }
        plan.steps += changes
    }

    /// Apple does not say what becomes of a default message whose images are rejected or deleted for a while, so it is
    /// set again then.
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
    package let code: String
    fileprivate let words: String
    fileprivate let hint: String?
    /// The image or the message; nil for a problem of a whole kind, which has no name and path either.
    package fileprivate(set) var item: CatalogueItem?
    package fileprivate(set) var name = ""
    /// The place of the item in the catalogue, such as `messages.value_reminder.en-US`.
    package fileprivate(set) var path = ""
    /// The revision that gives the same content a new identifier; nil when a new identifier does not help.
    package fileprivate(set) var proposedRevision: Int64?
    /// The number of default messages that cannot be set because of the problem.
    package fileprivate(set) var heldDefaultCount = 0

    package var finding: Finding {
        let held =
            switch heldDefaultCount {
            case 0: ""
            case 1: "; a default message needs it"
            default: "; \(heldDefaultCount) default messages need it"
            }
        return Finding(code: code, severity: .warning, words + held, hint: hint, path: path)
    }

    /// `revision` is nil when the catalogue pins the identifier.
    static func advice(_ words: String, revision: Int64?, path: String) -> String {
        revision.map { "\(words) \"revision\": \($0) at \(path) for a new identifier" }
            ?? "remove the pin to upload it under a new identifier"
    }
}
