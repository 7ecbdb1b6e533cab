internal import NotificationStore
internal import SignedPayloads
internal import SQL
package import System

struct PayloadSink {
    let store: NotificationStore
    let verifier: SignedPayloadVerifier
    let owner: PayloadOwner
    let source: StoreSource
    let now: () -> Int64

    struct Batch {
        fileprivate var items: [StoreItem] = []
        fileprivate var counts = RecoveryCounts()
        fileprivate(set) var originalTransactionIDs: Set<String> = []
    }

    /// Verifies at its own date. One that names another app or environment than asked for is refused.
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

    func finish(_ batch: Batch) throws -> RecoveryCounts {
        var counts = batch.counts
        for outcome in store.store(batch.items) {
            switch outcome {
            case .stored: counts.newCount += 1
            case .alreadyThere: counts.knownCount += 1
            case .tombstoned: counts.erasedCount += 1
            case .notStored(let error):
                guard error.isAboutItem else { throw error }
                counts.unstorable[error.code, default: 0] += 1
            }
        }
        return counts
    }
}

package struct RecoveryCounts: Sendable, Hashable {
    package internal(set) var callCount = 0
    package internal(set) var newCount = 0
    package internal(set) var knownCount = 0
    /// The payloads of subscribers who were erased. They were dropped.
    package internal(set) var erasedCount = 0
    /// The payloads that were not stored because they failed a check, by the code of the check.
    package internal(set) var refused: [String: Int] = [:]
    /// The payloads that the database refused, by the code of the error.
    package internal(set) var unstorable: [String: Int] = [:]

    package init() {}

    /// The payloads that Apple returned and that are not in the store although they should be.
    package var lostCount: Int {
        refused.values.reduce(0, +) + unstorable.values.reduce(0, +)
    }

    mutating func add(_ other: RecoveryCounts) {
        callCount += other.callCount
        newCount += other.newCount
        knownCount += other.knownCount
        erasedCount += other.erasedCount
        refused.merge(other.refused, uniquingKeysWith: +)
        unstorable.merge(other.unstorable, uniquingKeysWith: +)
    }
}

extension ToolError {
    package static let endlessHistory = ToolError(
        .unreachable, code: "recovery.endless-history",
        "Apple's history does not end: the pages repeat, or their tokens are refused")
    package static let otherOwner = ToolError(
        .unreachable, code: "recovery.other-owner", "Apple's server answered for another app or environment")
}
