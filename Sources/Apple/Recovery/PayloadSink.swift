internal import NotificationStore
internal import SQL
internal import SignedPayloads
internal import Vocabulary

/// Verifies signed payloads and stores them in one transaction for each batch.
struct PayloadSink {
    let store: NotificationStore
    let verifier: SignedPayloadVerifier
    let owner: PayloadOwner
    let source: StoreSource
    let now: () -> Int64

    /// The items of a batch that passed their checks.
    struct Batch {
        fileprivate var items: [StoreItem] = []
        fileprivate var counts = RecoveryCounts()
        /// The subscriptions of the transactions.
        fileprivate(set) var originalTransactionIDs: Set<String> = []
    }

    /// Verifies a notification at its own date and adds it to a batch. One that names another app or environment than
    /// asked for is refused.
    func add(notification jws: String, to batch: inout Batch) {
        let (text, time) = (Array(jws.utf8), now())
        do throws(VerificationError) {
            let verified = try verifier.verifyNotification(compact: text.span, nowMilliseconds: time)
            let found = verified.payload.owner
            guard found == owner else {
                let refusal: Refusal = found.bundleId == owner.bundleId ? .environmentDiffers : .appDiffers
                batch.counts.refused[refusal.code, default: 0] += 1
                return
            }
            batch.items.append(StoreItem(verified, source: source, receivedAt: time))
        } catch {
            batch.counts.refused[error.code, default: 0] += 1
        }
    }

    /// Verifies a transaction and adds it to a batch.
    func add(transaction jws: String, to batch: inout Batch) {
        let (text, time) = (Array(jws.utf8), now())
        do throws(VerificationError) {
            let verified = try verifier.verifyTransaction(
                compact: text.span, of: owner, nowMilliseconds: time)
            batch.items.append(StoreItem(verified, of: owner, source: source, receivedAt: time))
            if let id = verified.payload.content.originalTransactionId {
                batch.originalTransactionIDs.insert(id)
            }
        } catch {
            batch.counts.refused[error.code, default: 0] += 1
        }
    }

    /// Verifies a renewal info and adds it to a batch.
    func add(renewalInfo jws: String, to batch: inout Batch) {
        let (text, time) = (Array(jws.utf8), now())
        do throws(VerificationError) {
            let verified = try verifier.verifyRenewalInfo(
                compact: text.span, of: owner, nowMilliseconds: time)
            batch.items.append(StoreItem(verified, of: owner, source: source, receivedAt: time))
        } catch {
            batch.counts.refused[error.code, default: 0] += 1
        }
    }

    /// Stores a batch and counts what became of it.
    ///
    /// - Throws: `store` when the database failed, so that the rest of the work would fail too.
    func finish(_ batch: Batch) throws(RecoveryError) -> RecoveryCounts {
        var counts = batch.counts
        for outcome in store.store(batch.items) {
            switch outcome {
            case .stored: counts.newCount += 1
            case .alreadyThere: counts.knownCount += 1
            case .tombstoned: counts.erasedCount += 1
            case .notStored(let error):
                guard error.isAboutItem else { throw .store(error) }
                counts.unstorable[error.code, default: 0] += 1
            }
        }
        return counts
    }
}
