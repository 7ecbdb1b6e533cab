package import System

/// A notification that is to be sent now.
package struct NotificationDelivery: Sendable, Hashable {
    /// The app that the notification is about.
    package let bundleId: String
    package let environment: Environment
    /// The place of the notification among all of the app in the environment.
    let index: Int
    /// The URL that gets the POST.
    package let url: String
    /// The body of the POST.
    package let body: [UInt8]
}

/// When Apple sends a notification again.
///
/// Source: Apple, Responding to App Store Server Notifications.
enum RetrySchedule {
    /// The hours between an attempt and the next, in Production. Sandbox makes one attempt.
    static let hours: [Int64] = [1, 12, 24, 48, 72]

    /// Returns how long after the last of `count` attempts the next one follows, in milliseconds of an hour that passes
    /// `speed` times faster; nil when none follows.
    static func delay(after count: Int, in environment: Environment, speed: Int64) -> Int64? {
        guard environment == .production, hours.indices.contains(count - 1) else { return nil }
        return max(1, hours[count - 1] * RateLedger.hourMilliseconds / speed)
    }
}

/// The attempts that are still to be made.
struct DeliverySchedule {
    /// What is sent.
    struct Key: Hashable {
        let bundleId: String
        let environment: Environment
        let index: Int
    }

    private var times: [Key: Int64] = [:]
    /// The time of the earliest attempt, or an earlier one; nil when there is none.
    private(set) var next: Int64?

    init(_ state: SimulatorState) {
        for (bundleId, app) in state.apps {
            for environment in [Environment.production, .sandbox] {
                for (index, notification) in app[environment].notices.notifications.enumerated() {
                    guard let time = notification.nextMilliseconds else { continue }
                    add(Key(bundleId: bundleId, environment: environment, index: index), at: time)
                }
            }
        }
    }

    /// Adds an attempt.
    mutating func add(_ key: Key, at time: Int64) {
        times[key] = time
        next = min(next ?? time, time)
    }

    /// Removes at most `count` attempts that are due, and returns them, the earliest first.
    mutating func takeDue(at now: Int64, count: Int) -> [Key] {
        guard let next, next <= now, count > 0 else { return [] }
        let due = times.filter { $0.value <= now }.sorted {
            ($0.value, $0.key.index) < ($1.value, $1.key.index)
        }.prefix(count)
        for (key, _) in due { times[key] = nil }
        self.next = times.values.min()
        return due.map(\.key)
    }
}
