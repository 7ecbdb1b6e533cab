public import AppStoreServerAPI
public import NotificationStore
public import SignedPayloads
public import Vocabulary

/// Brings notifications from Apple's history into the store. One thread uses it.
///
///     let recovery = NotificationRecovery(
///         api: client, store: store, verifier: verifier, owner: owner, now: Clock.wallMilliseconds)
///     let counts = try recovery.run()
///
/// A range is read in windows that overlap on purpose; a notification that is in the store already is not stored again.
/// After each page, a cursor in the store has the place: a program that was killed at any moment goes on there. A window is
/// recorded as covered only when its last page was reached and every notification of it is in the store.
public final class NotificationRecovery {
    private let api: any NotificationRecoveryAPI
    private let store: NotificationStore
    private let sink: PayloadSink
    private let settings: RecoverySettings
    private let now: () -> Int64
    private var app: String { sink.owner.bundleId }
    private var environment: String { sink.owner.environment.rawValue }

    /// How often a window begins again because Apple refuses a token that it gave.
    private static let restartCount = 3

    /// Makes a recovery for one app in one environment.
    ///
    /// - Parameters:
    ///   - api: Apple's server.
    ///   - store: the store, which the recovery changes.
    ///   - verifier: verifies the notifications.
    ///   - owner: the app and the environment that the credentials of `api` are for.
    ///   - settings: the lengths of time.
    ///   - now: returns the time, milliseconds since 1970.
    public init(
        api: any NotificationRecoveryAPI, store: NotificationStore, verifier: SignedPayloadVerifier,
        owner: PayloadOwner, settings: RecoverySettings = RecoverySettings(), now: @escaping () -> Int64
    ) {
        self.api = api
        self.store = store
        self.settings = settings
        self.now = now
        sink = PayloadSink(store: store, verifier: verifier, owner: owner, source: .history, now: now)
    }

    /// Reads what may be missing in the store.
    ///
    /// - Parameters:
    ///   - range: the range to look at; nil for everything that Apple's history has. Parts that are covered are not read.
    ///   - onlyFailures: true to read only notifications that Apple has not delivered, covered or not. Apple sends some of
    ///     these again later.
    ///   - progress: called after each page, with the counts so far and the time up to which everything is read.
    /// - Returns: the counts.
    /// - Throws: ``RecoveryError`` when a call or the store fails. The next run goes on where this one ended.
    public func run(
        _ range: TimeRange? = nil,
        onlyFailures: Bool = false,
        progress: (RecoveryCounts, Int64) -> Void = { _, _ in }
    ) throws(RecoveryError) -> RecoveryCounts {
        let time = now()
        let earliest = time - RecoverySettings.reachMilliseconds(in: sink.owner.environment)
        let wanted = TimeRange(from: max(range?.from ?? earliest, earliest), to: min(range?.to ?? time, time))
        var counts = RecoveryCounts()
        if let window = try interrupted(wanted, earliest, onlyFailures) {
            try finish(window, &counts, progress)
        }
        guard !wanted.isEmpty else { return counts }
        let gaps =
            onlyFailures
            ? [wanted]
            : try stored { () throws(NotificationStoreError) in
                try store.gaps(app: app, environment: environment, in: wanted)
            }
        for gap in gaps {
            for part in RecoveryWindow.cut(gap, into: settings.windowMilliseconds) {
                let window = RecoveryWindow(
                    part, overlap: settings.overlapMilliseconds, earliest: earliest,
                    onlyFailures: onlyFailures, begunAt: now())
                try finish(window, &counts, progress)
            }
        }
        return counts
    }

    /// Returns the window in which an earlier run was interrupted, if it is about the same.
    private func interrupted(_ wanted: TimeRange, _ earliest: Int64, _ onlyFailures: Bool)
        throws(RecoveryError) -> RecoveryWindow?
    {
        let name = cursorName(onlyFailures)
        let cursor = try stored { () throws(NotificationStoreError) in try store.cursor(named: name) }
        guard let window = cursor?.detail.flatMap(RecoveryWindow.init(detail:)),
            window.onlyFailures == onlyFailures, window.request.from >= earliest,
            window.range.from < wanted.to, wanted.from < window.range.to
        else { return nil }
        return window
    }

    /// Reads a window from its place to its end.
    private func finish(
        _ start: RecoveryWindow, _ counts: inout RecoveryCounts, _ progress: (RecoveryCounts, Int64) -> Void
    ) throws(RecoveryError) {
        var window = start
        var restarts = 0
        var tokens = SeenTokens(window.token)
        repeat {
            do throws(RecoveryError) {
                try readPage(&window, &counts, &tokens)
            } catch {
                guard case .api(let cause) = error, cause.refusesToken, window.token != nil else {
                    throw error
                }
                guard restarts < Self.restartCount else { throw .endlessHistory }
                restarts += 1
                window.token = nil
                tokens = SeenTokens()
                window.isWhole = true
                window.begunAt = now()
                counts.callCount += 1
                continue
            }
            progress(counts, window.token == nil ? window.range.to : window.range.from)
            if window.token == nil { break }
        } while true
        try close(window)
    }

    /// Reads one page, stores it, and keeps the place of the next.
    private func readPage(
        _ window: inout RecoveryWindow, _ counts: inout RecoveryCounts, _ tokens: inout SeenTokens
    ) throws(RecoveryError) {
        let page = try AppStoreServerAPIError.mapped(
            to: RecoveryError.api,
            try api.notificationHistory(window.historyRequest, paginationToken: window.token))
        counts.callCount += 1
        var batch = PayloadSink.Batch()
        for item in page.notifications { sink.add(notification: item.signedPayload, to: &batch) }
        let found = try sink.finish(batch)
        counts.add(found)
        window.isWhole = window.isWhole && found.lostCount == 0
        if let next = page.paginationToken {
            try tokens.note(next)
            window.token = next
            let cursor = StoreCursor(position: window.range.from, detail: window.detail)
            let name = cursorName(window.onlyFailures)
            try stored { () throws(NotificationStoreError) in try store.setCursor(cursor, named: name) }
        } else {
            window.token = nil
        }
    }

    /// Records what a window that was read to its end covers, then removes its cursor. A notification that Apple was sending
    /// when the reading began may be missing, so the end of the window is not covered.
    private func close(_ window: RecoveryWindow) throws(RecoveryError) {
        let covered = TimeRange(
            from: window.range.from, to: min(window.range.to, window.begunAt - settings.settlingMilliseconds))
        if window.isWhole, !window.onlyFailures, !covered.isEmpty {
            try stored { () throws(NotificationStoreError) in
                try store.cover(app: app, environment: environment, covered, finishedAt: now())
            }
        }
        let name = cursorName(window.onlyFailures)
        try stored { () throws(NotificationStoreError) in try store.removeCursor(named: name) }
    }

    private func cursorName(_ onlyFailures: Bool) -> String {
        "recover\(onlyFailures ? "-failures" : ""):\(environment):\(app)"
    }

    private func stored<Value>(
        _ work: () throws(NotificationStoreError) -> Value
    ) throws(RecoveryError) -> Value {
        do throws(NotificationStoreError) {
            return try work()
        } catch {
            throw .store(error)
        }
    }
}

extension AppStoreServerAPIError {
    /// True when Apple refused the token of a page: it has expired, or Apple does not know it any more.
    fileprivate var refusesToken: Bool {
        appleCode == .invalidPaginationToken || appleCode == .paginationTokenExpired
    }
}

/// The lengths of time that a recovery goes by.
public struct RecoverySettings: Sendable, Hashable {
    /// The length of the windows in which a range is read. Each window that is finished is recorded.
    public var windowMilliseconds: Int64 = 86_400_000
    /// How far the request for a window reaches beyond its ends. Apple does not say which of a notification's times decides
    /// whether it belongs to a range, so windows overlap.
    public var overlapMilliseconds: Int64 = 3_600_000
    /// How long ago a moment must be to count as covered. A notification that is being sent is not in the history yet.
    public var settlingMilliseconds: Int64 = 900_000

    /// Makes settings with the defaults above.
    public init() {}

    /// How far back Apple's history reaches, less a margin for the time that a call takes and for clocks that differ.
    ///
    /// Source: Apple, Get Notification History: 180 days in Production, 30 in Sandbox.
    public static func reachMilliseconds(in environment: Environment) -> Int64 {
        (environment == .production ? 180 : 30) * 86_400_000 - 300_000
    }
}
