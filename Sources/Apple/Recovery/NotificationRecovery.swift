package import AppStoreServerAPI
package import NotificationStore
package import SignedPayloads
package import System

/// Brings notifications from Apple's history into the store. One thread uses it.
///
/// A range is read in windows that overlap on purpose; a notification that is in the store already is not stored again.
/// After each page, a cursor in the store has the place: a program that was killed at any moment goes on there. A window is
/// recorded as covered only when its last page was reached and every notification of it is in the store.
package final class NotificationRecovery {
    private let api: any NotificationRecoveryAPI
    private let store: NotificationStore
    private let sink: PayloadSink
    private let settings: RecoverySettings
    private let now: () -> Int64
    private var app: String { sink.owner.bundleId }
    private var environment: String { sink.owner.environment.rawValue }

    /// How often a window begins again because Apple refuses a token that it gave.
    private static let restartCount = 3

    package init(
        api: any NotificationRecoveryAPI, store: NotificationStore, verifier: SignedPayloadVerifier,
        owner: PayloadOwner, settings: RecoverySettings = RecoverySettings(), now: @escaping () -> Int64
    ) {
        self.api = api
        self.store = store
        self.settings = settings
        self.now = now
        sink = PayloadSink(store: store, verifier: verifier, owner: owner, source: .history, now: now)
    }

    /// With `onlyFailures`, only notifications that Apple has not delivered are read, covered or not.
    package func run(
        _ range: TimeRange? = nil,
        onlyFailures: Bool = false,
        progress: (RecoveryCounts, Int64) -> Void = { _, _ in }
    ) throws -> RecoveryCounts {
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
            : try store.gaps(app: app, environment: environment, in: wanted)
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

    private func interrupted(_ wanted: TimeRange, _ earliest: Int64, _ onlyFailures: Bool)
        throws -> RecoveryWindow?
    {
        let name = cursorName(onlyFailures)
        let cursor = try store.cursor(named: name)
        guard let window = cursor?.detail.flatMap(RecoveryWindow.init(detail:)),
            window.onlyFailures == onlyFailures, window.request.from >= earliest,
            window.range.from < wanted.to, wanted.from < window.range.to
        else { return nil }
        return window
    }

    private func finish(
        _ start: RecoveryWindow, _ counts: inout RecoveryCounts, _ progress: (RecoveryCounts, Int64) -> Void
    ) throws {
        var window = start
        var restarts = 0
        var tokens = SeenTokens(window.token)
        repeat {
            do {
                try readPage(&window, &counts, &tokens)
            } catch let error as AppStoreServerAPIError where error.refusesToken && window.token != nil {
                guard restarts < Self.restartCount else { throw ToolError.endlessHistory }
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

    private func readPage(
        _ window: inout RecoveryWindow, _ counts: inout RecoveryCounts, _ tokens: inout SeenTokens
    ) throws {
        let page = try api.notificationHistory(window.historyRequest, paginationToken: window.token)
        counts.callCount += 1
        var batch = PayloadSink.Batch()
        for item in page.notifications { sink.add(notification: item.signedPayload, to: &batch) }
        let found = try sink.finish(batch)
        counts.add(found)
        window.isWhole = window.isWhole && found.lostCount == 0
        if let next = page.paginationToken {
            try tokens.add(next)
            window.token = next
            let cursor = StoreCursor(position: window.range.from, detail: window.detail)
            let name = cursorName(window.onlyFailures)
            try store.setCursor(cursor, named: name)
        } else {
            window.token = nil
        }
    }

    /// A notification that Apple was sending when the reading began may be missing, so the end of the window is not
    /// covered.
    private func close(_ window: RecoveryWindow) throws {
        let covered = TimeRange(
            from: window.range.from, to: min(window.range.to, window.begunAt - settings.settlingMilliseconds))
        if window.isWhole, !window.onlyFailures, !covered.isEmpty {
            try store.cover(app: app, environment: environment, covered, finishedAt: now())
        }
        let name = cursorName(window.onlyFailures)
        try store.removeCursor(named: name)
    }

    private func cursorName(_ onlyFailures: Bool) -> String {
        "recover\(onlyFailures ? "-failures" : ""):\(environment):\(app)"
    }
}

extension AppStoreServerAPIError {
    /// True when Apple refused the token of a page: it has expired, or Apple does not know it any more.
    fileprivate var refusesToken: Bool {
        appleCode == .invalidPaginationToken || appleCode == .paginationTokenExpired
    }
}

package struct RecoverySettings: Sendable, Hashable {
    package var windowMilliseconds: Int64 = 86_400_000
    /// Apple does not say which of a notification's times decides whether it belongs to a range, so windows overlap.
    package var overlapMilliseconds: Int64 = 3_600_000
    /// How long ago a moment must be to count as covered. A notification that is being sent is not in the history yet.
    package var settlingMilliseconds: Int64 = 900_000

    package init() {}

    /// Source: Apple, Get Notification History: 180 days in Production, 30 in Sandbox, less a margin for clocks that
    /// differ.
    package static func reachMilliseconds(in environment: Environment) -> Int64 {
        (environment == .production ? 180 : 30) * 86_400_000 - 300_000
    }
}

/// A token that comes again leads to pages that were read, so the history has no end.
package struct SeenTokens {
    private var tokens: Set<String>

    /// `token` is the one from which an earlier reading goes on.
    package init(_ token: String? = nil) {
        tokens = Set([token].compactMap { $0 })
    }

    package mutating func add(_ token: String) throws {
        guard tokens.insert(token).inserted else { throw ToolError.endlessHistory }
    }
}
