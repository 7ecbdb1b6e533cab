import NotificationStore
import Testing

extension NotificationStore {
    /// Reads the subscribers of all ranges. Each comes once.
    func allSubscribers(app: String, environment: String) throws -> [String: SubscriberRows] {
        var found: [String: SubscriberRows] = [:]
        var range: SubscriberRange? = try subscriberRange(after: nil)
        while var rest = range {
            while true {
                let page = try subscribers(in: rest, app: app, environment: environment)
                for (id, rows) in page.rows { #expect(found.updateValue(rows, forKey: id) == nil) }
                guard let next = page.next else { break }
                rest.after = next
            }
            range = try rest.last.map { try subscriberRange(after: $0) }
        }
        return found
    }
}
