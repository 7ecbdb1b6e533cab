package import Cryptography
internal import Dispatch
package import NotificationStore
internal import SubscriberHistory
internal import Synchronization
internal import System

extension EffectSums {
    /// Makes the sums of an app and environment from the decisions and the notifications of a store. Notifications name the bundle
    /// identifier `app`, and decisions the Apple ID; `key` is the one that made the pseudonyms.
    package init(
        _ store: NotificationStore, app: String, appAppleId: Int64, environment: String, now: Int64,
        key: IdentifierKey
    ) throws {
        var draws: [String: [EffectDraw]] = [:]
        for (digest, experiments) in try store.loggedExperiments(app: appAppleId, environment: environment) {
            draws[digest] = EffectDraw.all(experiments)
        }
        let instances = try store.decisionInstances().filter { one in
            one.digests.contains { draws[$0] != nil }
        }
        let covered = try store.coverage(app: app, environment: environment).map(\.range)
        let notifications = EffectNotifications(covered: covered, now: now)
        var sums = EffectSums(app: app, environment: environment, now: now)
        sums.quality.notificationGaps = notifications.gaps(from: instances.compactMap(\.firstAt).min() ?? now)
        sums.quality.decisions = instances.reduce(0) { $0 + $1.presentCount }
        sums.quality.missingDecisions = instances.reduce(0) { $0 + $1.missingCount }
        sums.quality.decisionsUntil = instances.compactMap(\.lastAt).max()
        sums.quality.notificationsUntil = notifications.until(from: sums.quality.decisionsUntil ?? now)
        let fingerprint = try key.fingerprintText()
        sums.quality.otherKeyInstances = instances.count { $0.hasOtherKey(than: fingerprint) }
        let reading = EffectReading(
            address: store.address, appAppleId: appAppleId, known: try KnownSubscribers(store, key),
            empty: EffectTally(sums, notifications, draws: draws))
        self = try reading.run().finish(instances, key: fingerprint)
    }
}

/// How far the notifications of a store are complete.
struct EffectNotifications: Sendable {
    /// What `recover` has read, in the order of time.
    let covered: [TimeRange]
    let now: Int64

    /// Apple repeats a notification for 157 hours.
    private var repeated: Int64 { now - 168 * 3_600_000 }

    private func range(at time: Int64) -> TimeRange? { covered.first { $0.from <= time && time < $0.to } }

    /// Returns the number of times behind a request that `recover` has not read, although it has read before and later.
    func gaps(from request: Int64) -> Int {
        covered.dropFirst().count { request < $0.from && $0.from < now }
    }

    /// Returns until when notifications are complete: as far as `recover` has read without a gap from a request on, or where it has not
    /// read, as far as Apple has repeated them.
    func until(from request: Int64) -> Int64 {
        let own = range(at: request)
        guard gaps(from: request) == 0 else {
            return own?.to ?? covered.last { $0.to <= request }?.to ?? request
        }
        // Behind the last that it has read, Apple's repetitions count as without it.
        return max(own?.to ?? 0, range(at: repeated)?.to ?? repeated)
    }
}

/// Reads the subscribers with decisions in parts, on a few processors, each with a connection of its own.
private struct EffectReading: Sendable {
    let address: StoreAddress
    let appAppleId: Int64
    let known: KnownSubscribers
    let empty: EffectTally

    private static let greatestPartCount = 4
    /// The subscribers whose histories are read together.
    private static let waitingCount = 1024

    func run() throws -> EffectTally {
        let count = min(ProcessorCount.usable, Self.greatestPartCount)
        let parts = Mutex<[Result<EffectTally, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: count) { part in
            let found = Result { try read(from: part * 256 / count, to: (part + 1) * 256 / count) }
            parts.withLock { $0.append(found) }
        }
        var tally = empty
        for part in parts.withLock({ $0 }) { tally.add(try part.get()) }
        return tally
    }

    /// Reads the subscribers whose pseudonyms begin with these bytes.
    private func read(from begin: Int, to end: Int) throws -> EffectTally {
        var options = StoreOptions(access: .read)
        options.hasLargeCache = true
        let store = try NotificationStore(address, options)
        var tally = empty
        let (environment, now) = (empty.sums.environment, empty.sums.now)
        let histories = try StoredHistories(store, app: empty.sums.app, environment: environment)
        var waiting: [(id: String?, units: [EffectUnit])] = []
        var after = begin == 0 ? nil : Self.digits(begin - 1) + String(repeating: "f", count: 30)
        repeat {
            let page = try store.decisions(app: appAppleId, environment: environment, after: after)
            after = page.next.flatMap { end == 256 || $0 < Self.digits(end) ? $0 : nil }
            var rest = page.decisions[...]
            while let subscriber = rest.first?.subscriber, end == 256 || subscriber < Self.digits(end) {
                let own = rest.prefix { $0.subscriber == subscriber }
                rest = rest.dropFirst(own.count)
                let units = EffectUnit.all(of: own.prefix { $0.signedAt <= now }, empty.draws)
                if !units.isEmpty { waiting.append((known[subscriber], units)) }
            }
            guard waiting.count >= Self.waitingCount || after == nil else { continue }
            // In the order of the identifiers: neighbours lie on the same pages of the store.
            let ids = waiting.compactMap(\.id).sorted()
            var payloads: [String: SubscriberPayloads] = [:]
            for start in stride(from: 0, to: ids.count, by: 256) {
                let some = Array(ids[start..<min(start + 256, ids.count)])
                try payloads.merge(histories.payloads(of: some)) { first, _ in first }
            }
            for (id, units) in waiting { tally.add(units, id: id, id.flatMap { payloads[$0] }) }
            waiting = []
        } while after != nil
        return tally
    }

    private static func digits(_ byte: Int) -> String { HexadecimalDigits.text(of: UInt64(byte), count: 2) }
}

/// The subscribers of a store by their pseudonyms. The first 8 bytes of a pseudonym tell subscribers apart, and Apple's identifiers are
/// numbers, so that 10 million subscribers fit into 400 MB.
private struct KnownSubscribers: Sendable {
    private var ids: [UInt64: UInt64] = [:]

    init(_ store: NotificationStore, _ key: IdentifierKey) throws {
        let pseudonyms = try key.pseudonyms()
        var after: String?
        repeat {
            let page = try store.subscriberIDs(after: after)
            for id in page.ids {
                guard let number = UInt64(id), String(number) == id,
                    let short = Self.short(try pseudonyms.pseudonym(of: id))
                else { continue }
                ids[short] = number
            }
            after = page.next
        } while after != nil
    }

    subscript(pseudonym: String) -> String? { Self.short(pseudonym).flatMap { ids[$0] }.map { String($0) } }

    private static func short(_ pseudonym: String) -> UInt64? { UInt64(pseudonym.prefix(16), radix: 16) }
}
