public import NotificationStore
internal import SignedPayloads
internal import Vocabulary

extension NotificationStore {
    /// Returns the original transaction identifiers of an app about which the store got nothing since a time, in ascending
    /// order of their texts.
    ///
    /// - Throws: ``RecoveryError`` when the store fails.
    public func staleSubscribers(app: String, environment: String, before time: Int64) throws(RecoveryError)
        -> [String]
    {
        var last: [String: Int64] = [:]
        do throws(NotificationStoreError) {
            var after: Int64?
            repeat {
                let page = try transactions(StorePage(after: after, count: StorePage.greatestCount))
                for row in page.rows where row.app == app && row.environment == environment {
                    guard let id = row.columns.originalTransactionID else { continue }
                    last[id] = max(last[id] ?? 0, row.receivedAt)
                }
                after = page.next
            } while after != nil
            repeat {
                let page = try renewals(StorePage(after: after, count: StorePage.greatestCount))
                for row in page.rows where row.app == app && row.environment == environment {
                    guard let id = row.columns.originalTransactionID else { continue }
                    last[id] = max(last[id] ?? 0, row.receivedAt)
                }
                after = page.next
            } while after != nil
        } catch {
            throw .store(error)
        }
        return last.filter { $0.value < time }.keys.sorted()
    }
}
