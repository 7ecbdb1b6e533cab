import NotificationStore
import Testing

extension NotificationStore {
    /// Reads the subscribers of all pages. Each comes once.
    func allSubscribers(app: String, environment: String) throws -> [String: SubscriberRows] {
        var found: [String: SubscriberRows] = [:]
        var after: String?
        repeat {
            let page = try subscribers(after: after, app: app, environment: environment)
            #expect(page.rows.count <= Self.subscriberPageCount)
            for rows in page.rows {
                #expect(found.updateValue(rows, forKey: rows.originalTransactionID) == nil)
            }
            after = page.next
        } while after != nil
        return found
    }
}
