public import AppStoreServerAPI
public import NotificationStore
public import SignedPayloads
internal import Vocabulary

/// Brings the present statuses and the whole transaction history of subscribers into the store. One thread uses it.
///
/// Everything can be done again: a transaction that is in the store already, byte for byte, is not stored twice.
public final class SubscriptionSync {
    /// What became of the subscribers.
    public struct Report: Sendable {
        /// The subscribers whose statuses and history were read to the end.
        public internal(set) var doneCount = 0
        /// The identifiers for which Apple's server refused an answer, with the refusal, in the order of the calls.
        public internal(set) var refused: [(identifier: String, error: AppStoreServerAPIError)] = []
        /// What became of the signed payloads.
        public internal(set) var counts = RecoveryCounts()

        public init() {}
    }

    private let api: any NotificationRecoveryAPI
    private let store: NotificationStore
    private let sink: PayloadSink
    private let now: () -> Int64

    /// Makes a synchronization for one app in one environment.
    ///
    /// - Parameters:
    ///   - api: Apple's server.
    ///   - store: the store, which the synchronization changes.
    ///   - verifier: verifies transactions and renewal infos.
    ///   - owner: the app and the environment that the credentials of `api` are for.
    ///   - now: returns the time, milliseconds since 1970.
    public init(
        api: any NotificationRecoveryAPI, store: NotificationStore, verifier: SignedPayloadVerifier,
        owner: PayloadOwner, now: @escaping () -> Int64
    ) {
        self.api = api
        self.store = store
        self.now = now
        sink = PayloadSink(store: store, verifier: verifier, owner: owner, source: .api, now: now)
    }

    /// Reads the statuses and the transactions of subscribers.
    ///
    /// - Parameters:
    ///   - identifiers: an identifier of a transaction of each.
    ///   - progress: called after each subscriber, also after one who was refused.
    /// - Returns: the counts. A subscriber whom Apple does not know does not end the work.
    /// - Throws: ``RecoveryError`` when the store fails, or a call fails in a way that says nothing about the subscriber.
    public func run(
        _ identifiers: [String],
        progress: (Report) throws(RecoveryError) -> Void = { _ throws(RecoveryError) in }
    ) throws(RecoveryError) -> Report {
        var report = Report()
        for identifier in identifiers {
            do throws(RecoveryError) {
                let lostCount = report.counts.lostCount
                try readStatuses(identifier, &report.counts)
                let found = try readTransactions(identifier, &report.counts)
                if report.counts.lostCount == lostCount { try note(found) }
                report.doneCount += 1
            } catch {
                guard case .api(let cause) = error, cause.isAboutTransaction else { throw error }
                report.refused.append((identifier, cause))
            }
            try progress(report)
        }
        return report
    }

    private func readStatuses(_ identifier: String, _ counts: inout RecoveryCounts) throws(RecoveryError) {
        let answer = try AppStoreServerAPIError.mapped(
            to: RecoveryError.api, try api.subscriptionStatuses(of: identifier, statuses: []))
        counts.callCount += 1
        try check(answer.bundleId, answer.environment)
        var batch = PayloadSink.Batch()
        for last in answer.groups.flatMap(\.lastTransactions) {
            sink.add(transaction: last.signedTransactionInfo, to: &batch)
            sink.add(renewalInfo: last.signedRenewalInfo, to: &batch)
        }
        counts.add(try sink.finish(batch))
    }

    /// Notes that the store has the whole history of these subscriptions. The time is that behind the last answer: Apple signs
    /// copies while it answers, and what changes while pages are read comes on a later page.
    private func note(_ ids: Set<String>) throws(RecoveryError) {
        try NotificationStoreError.mapped(
            to: RecoveryError.store,
            try store.noteSynchronization(
                of: ids, app: sink.owner.bundleId, environment: sink.owner.environment.rawValue, at: now()))
    }

    /// Reads the whole history, and returns the subscriptions in it.
    private func readTransactions(_ identifier: String, _ counts: inout RecoveryCounts) throws(RecoveryError)
        -> Set<String>
    {
        var found: Set<String> = []
        var revision: String?
        var revisions = SeenTokens()
        while true {
            let page = try AppStoreServerAPIError.mapped(
                to: RecoveryError.api,
                try api.transactionHistory(of: identifier, TransactionHistoryRequest(), revision: revision))
            counts.callCount += 1
            try check(page.bundleId, page.environment)
            var batch = PayloadSink.Batch()
            for jws in page.signedTransactions { sink.add(transaction: jws, to: &batch) }
            counts.add(try sink.finish(batch))
            found.formUnion(batch.originalTransactionIDs)
            guard page.hasMore else { return found }
            // A page that has more has a revision.
            if let next = page.revision { try revisions.note(next) }
            revision = page.revision
        }
    }

    private func check(_ bundleId: String, _ environment: String) throws(RecoveryError) {
        guard bundleId == sink.owner.bundleId, environment == sink.owner.environment.rawValue else {
            throw .otherOwner
        }
    }
}

extension AppStoreServerAPIError {
    /// True when a refusal is about the transaction that was asked for, so that other transactions may be answered.
    fileprivate var isAboutTransaction: Bool {
        switch appleCode {
        case .invalidTransactionId, .transactionIdNotFound, .accountNotFound, .accountNotFoundRetryable,
            .originalTransactionIdNotFound, .originalTransactionIdNotFoundRetryable:
            true
        default:
            if case .invalid(.pathSegment) = self { true } else { false }
        }
    }
}
