public import AppStoreServerAPI
internal import Vocabulary

/// The images and messages at Apple that `catalogue prune` deletes: those that neither the catalogue, nor rules, nor default
/// messages name.
public struct PrunePlan: Sendable, Hashable {
    /// An orphan that is not deleted, because something names it.
    public struct Kept: Sendable, Hashable {
        /// The image or the message.
        public let orphan: CataloguePlan.Orphan
        /// The rules and default messages that name it, for people.
        public let users: [String]
    }

    /// The orphans that are deleted: messages first, since Apple refuses to delete an image that a message names.
    public private(set) var deletions: [CataloguePlan.Orphan]
    /// The orphans that are not deleted.
    public private(set) var kept: [Kept]

    /// Chooses among the orphans of a plan.
    ///
    /// - Parameters:
    ///   - plan: the plan.
    ///   - knowledge: what the journal knows: messages that are set as default messages stay.
    ///   - uses: the rules that use messages: these messages stay.
    public init(_ plan: CataloguePlan, knowledge: JournalKnowledge, uses: CatalogueUses) {
        let users = uses.rules.merging(knowledge.defaultUsers) { $0 + $1 }
        var deletions: [CataloguePlan.Orphan] = []
        var kept: [Kept] = []
        for orphan in plan.orphans {
            let names = orphan.item.kind == .message ? users[orphan.item.identifier] ?? [] : []
            if names.isEmpty {
                deletions.append(orphan)
            } else {
                kept.append(Kept(orphan: orphan, users: names))
            }
        }
        self.deletions =
            deletions.filter { $0.item.kind == .message } + deletions.filter { $0.item.kind == .image }
        self.kept = kept
    }

    public var deletesMessages: Bool { deletions.contains { $0.item.kind == .message } }

    /// Keeps the messages that have become default messages since the plan was made, as another machine may set one at any
    /// time. Adds nothing to the deletions, because nobody has agreed to more.
    ///
    /// - Parameter knowledge: what the journal knows now.
    /// - Returns: the messages that are kept for this reason.
    public mutating func keepDefaults(_ knowledge: JournalKnowledge) -> [Kept] {
        let users = knowledge.defaultUsers
        let later = deletions.compactMap { orphan in
            users[orphan.item.identifier].map { Kept(orphan: orphan, users: $0) }
        }
        deletions.removeAll { users[$0.item.identifier] != nil }
        kept += later
        return later
    }
}

extension JournalKnowledge {
    /// The places in which a message is the default message, by the message, for people.
    fileprivate var defaultUsers: [UUID: [String]] {
        var users: [UUID: [String]] = [:]
        for (place, known) in defaults.sorted(by: { $0.key < $1.key }) {
            guard let identifier = known.identifier else { continue }
            users[identifier, default: []].append("default message of \(place)")
        }
        return users
    }
}

/// Deletes the orphans of a ``PrunePlan``.
public struct CataloguePrune {
    /// An orphan that Apple did not delete.
    public struct Refusal: Sendable, Hashable {
        /// The image or the message.
        public let orphan: CataloguePlan.Orphan
        /// The stable code of the reason.
        public let code: String
        /// The meaning of the reason, and what to do.
        public let message: String
    }

    /// The orphans that were deleted, and those that were not.
    public struct Report: Sendable, Hashable {
        public internal(set) var deleted: [CataloguePlan.Orphan] = []
        /// The images that Apple did not delete because a message names them. Apple's lists do not say that beforehand.
        public internal(set) var inUse: [CataloguePlan.Orphan] = []
        /// The orphans that Apple refused to delete for another reason.
        public internal(set) var refused: [Refusal] = []
        /// The error that ended the run.
        public internal(set) var failure: ApplyFailure?

        public init() {}
    }

    private let api: any RetentionMessagingAPI
    private let journal: CatalogueJournal
    private let now: () -> Int64

    /// Makes a run that deletes. No call is made yet.
    ///
    /// - Parameters:
    ///   - api: the client.
    ///   - journal: the journal of the same app, environment and server.
    ///   - now: returns the time, milliseconds since 1970.
    public init(_ api: any RetentionMessagingAPI, journal: CatalogueJournal, now: @escaping () -> Int64) {
        self.api = api
        self.journal = journal
        self.now = now
    }

    /// Deletes the orphans of a plan at Apple, one call each.
    ///
    /// - Parameters:
    ///   - plan: the orphans to delete.
    ///   - progress: called before each call with the number of calls that are done.
    /// - Returns: the orphans that were deleted, and those that were not.
    public func run(_ plan: PrunePlan, progress: (_ done: Int) -> Void = { _ in }) -> Report {
        var report = Report()
        do throws(ApplyFailure) {
            for (index, orphan) in plan.deletions.enumerated() {
                progress(index)
                try delete(orphan, &report)
            }
        } catch {
            report.failure = error
        }
        return report
    }

    private func delete(_ orphan: CataloguePlan.Orphan, _ report: inout Report) throws(ApplyFailure) {
        let item = orphan.item
        try record(.deleteStarted(item), isDurable: true)
        do throws(AppStoreServerAPIError) {
            _ =
                switch item.kind {
                case .image: try api.deleteImage(item.identifier)
                case .message: try api.deleteMessage(item.identifier)
                }
        } catch {
            // Somebody else has deleted it.
            guard error.appleCode != .imageNotFound, error.appleCode != .messageNotFound else {
                try? journal.record(.deleteDone(item), at: now())
                report.deleted.append(orphan)
                return
            }
            guard error.appleCode != .imageInUse else {
                report.inUse.append(orphan)
                return
            }
            guard error.scope != .run else { throw .api(error) }
            report.refused.append(Refusal(orphan: orphan, code: error.code, message: error.description))
            return
        }
        try record(.deleteDone(item))
        report.deleted.append(orphan)
    }

    private func record(_ event: JournalEvent, isDurable: Bool = false) throws(ApplyFailure) {
        try CatalogueJournalError.mapped(
            to: ApplyFailure.journal, try journal.record(event, at: now(), isDurable: isDurable))
    }
}
