package import AppStoreServerAPI
package import NotificationStore
package import SignedPayloads
internal import System

/// Everything can be done again: a transaction that is in the store already is not stored twice. One thread uses it.
package final class SubscriptionSync {
    package struct Report: Sendable {
        package internal(set) var doneCount = 0
        package internal(set) var refused: [(identifier: String, error: AppStoreServerAPIError)] = []
        package internal(set) var counts = RecoveryCounts()

        package init() {}
    }

    private let api: any NotificationRecoveryAPI
    private let store: NotificationStore
    private let sink: PayloadSink
    private let now: () -> Int64

    package init(
        api: any NotificationRecoveryAPI, store: NotificationStore, verifier: SignedPayloadVerifier,
        owner: PayloadOwner, now: @escaping () -> Int64
    ) {
        self.api = api
        self.store = store
        self.now = now
        sink = PayloadSink(store: store, verifier: verifier, owner: owner, source: .api, now: now)
    }

    /// A subscriber whom Apple does not know does not end the work.
    package func run(
        _ identifiers: [String],
        progress: (Report) throws -> Void = { _ in }
    ) throws -> Report {
        var report = Report()
        for identifier in identifiers {
            do {
                let lostCount = report.counts.lostCount
                try readStatuses(identifier, &report.counts)
                let found = try readTransactions(identifier, &report.counts)
                if report.counts.lostCount == lostCount { try remember(found) }
                report.doneCount += 1
            } catch let error as AppStoreServerAPIError where error.isAboutTransaction {
                report.refused.append((identifier, error))
            }
            try progress(report)
        }
        return report
    }

    private func readStatuses(_ identifier: String, _ counts: inout RecoveryCounts) throws {
        let answer = try api.subscriptionStatuses(of: identifier)
        counts.callCount += 1
        try check(answer.bundleId, answer.environment)
        var batch = PayloadSink.Batch()
        for last in answer.lastTransactions {
            sink.add(transaction: last.signedTransactionInfo, to: &batch)
            sink.add(renewalInfo: last.signedRenewalInfo, to: &batch)
        }
        counts.add(try sink.finish(batch))
    }

    /// The time is that behind the last answer: Apple signs copies while it answers, and what changes meanwhile comes
    /// on a later page.
    private func remember(_ ids: Set<String>) throws {
        try store.rememberSynchronization(
            of: ids, app: sink.owner.bundleId, environment: sink.owner.environment.rawValue, at: now())
    }

    private func readTransactions(_ identifier: String, _ counts: inout RecoveryCounts) throws
        -> Set<String>
    {
        var found: Set<String> = []
        var revision: String?
        var revisions = SeenTokens()
        while true {
            let page = try api.transactionHistory(of: identifier, revision: revision)
            counts.callCount += 1
            try check(page.bundleId, page.environment)
            var batch = PayloadSink.Batch()
            for jws in page.signedTransactions { sink.add(transaction: jws, to: &batch) }
            counts.add(try sink.finish(batch))
            found.formUnion(batch.originalTransactionIDs)
            guard page.hasMore else { return found }
            guard let next = page.revision else { throw ToolError.endlessHistory }
            try revisions.add(next)
            revision = next
        }
    }

    private func check(_ bundleId: String, _ environment: String) throws {
        guard bundleId == sink.owner.bundleId, environment == sink.owner.environment.rawValue else {
            throw ToolError.otherOwner
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
            if case .invalid = self { true } else { false }
        }
    }
}
