internal import AppStoreServerAPI
internal import JSON
internal import System

extension AppStoreSimulator {
    /// Get Notification History. A notification belongs to a range by the time of its first attempt, and is in the history
    /// once that attempt has ended; Apple does not say more.
    func notificationHistory(_ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        let environment = call.request.environment
        let filter = try NotificationHistoryFilter(
            EnvironmentState.object(call.request), environment: environment, now: call.now)
        let notices = state[call.app.bundleId][environment].notices
        if let identifier = filter.transactionId {
            try checkTransaction(identifier)
            guard notices.notifications.contains(where: { $0.transactionIds.contains(identifier) }) else {
                throw .apple(.transactionIdNotFound)
            }
        }
        var index = 0
        if let token = call.target.values(of: "paginationToken").first {
            guard let position = HistoryPosition(token: token, of: filter.words) else {
                throw .apple(.invalidPaginationToken)
            }
            guard position.milliseconds + SimulatorLimits.pageTokenMilliseconds > call.now else {
                throw .apple(.paginationTokenExpired)
            }
            index = Int(clamping: position.number)
        }
        var found: [JSONNode] = []
        while index < notices.notifications.count, found.count < SimulatorLimits.pageCount {
            let notification = notices.notifications[index]
            if filter.matches(notification, at: call.now) { found.append(notification.item) }
            index += 1
        }
        var members: [(String, JSONNode)] = []
        let hasMore = notices.notifications[min(index, notices.notifications.count)...]
            .contains { filter.matches($0, at: call.now) }
        if hasMore {
            let next = HistoryPosition(milliseconds: call.now, number: Int64(index), of: filter.words)
            members.append(("paginationToken", .string(next.token)))
        }
        return SimulatorAnswer(
            .object(members + [("hasMore", .boolean(hasMore)), ("notificationHistory", .array(found))])
        )
    }

    /// Checks the form of an identifier, and whether the user wants an error for it.
    func checkTransaction(_ identifier: String) throws(SimulatorProblem) {
        try Self.checkForm(of: identifier)
        if let refusal = configuration.refusals[identifier] { throw .apple(refusal) }
    }

    static func checkForm(of identifier: String) throws(SimulatorProblem) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...SimulatorLimits.transactionIdLength).contains(identifier.utf8.count),
            identifier.utf8.allSatisfy(digits.contains)
        else { throw .apple(.invalidTransactionId) }
    }
}

/// The body of Get Notification History, checked.
private struct NotificationHistoryFilter {
    let startDate: Int64
    let endDate: Int64
    let type: String?
    let subtype: String?
    let transactionId: String?
    let onlyFailures: Bool

    private static let day: Int64 = 86_400_000

    init(_ root: JSONValue, environment: Environment, now: Int64) throws(SimulatorProblem) {
        guard let start = root.member("startDate")?.int64, start >= 0 else { throw .apple(.invalidStartDate) }
        guard let end = root.member("endDate")?.int64, end >= 0 else { throw .apple(.invalidEndDate) }
        guard start <= end else { throw .apple(.startDateAfterEndDate) }
        guard start >= now - (environment == .production ? 180 : 30) * Self.day else {
            throw .apple(.startDateTooFarInPast)
        }
        let type = try Self.text(root, "notificationType", .invalidNotificationType)
        let subtype = try Self.text(root, "notificationSubtype", .invalidNotificationType)
        transactionId = try Self.text(root, "transactionId", .invalidTransactionId)
        guard type == nil || transactionId == nil else { throw .apple(.multipleFiltersSupplied) }
        let kinds = NotificationKind.documented.filter { $0.type == type }
        let isKnown = subtype == nil ? !kinds.isEmpty : kinds.contains { $0.subtype == subtype }
        guard isKnown || type == nil && subtype == nil else { throw .apple(.invalidNotificationType) }
        if let flag = root.member("onlyFailures"), flag.kind != .null {
            guard let flag = flag.boolean else { throw .badRequest }
            onlyFailures = flag
        } else {
            onlyFailures = false
        }
        (startDate, endDate) = (start, end)
        (self.type, self.subtype) = (type, subtype)
    }

    private static func text(_ root: JSONValue, _ name: String, _ code: AppStoreServerAPIErrorCode)
        throws(SimulatorProblem) -> String?
    {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let text = value.string else { throw .apple(code) }
        return text
    }

    /// Everything that must be the same for each page.
    var words: [String] {
        [
            String(startDate), String(endDate), type ?? "-", subtype ?? "-", transactionId ?? "-",
            String(onlyFailures),
        ]
    }

    func matches(_ notification: SimulatedNotification, at now: Int64) -> Bool {
        guard let first = notification.attempts.first?.milliseconds,
            (startDate...max(startDate, min(endDate, now))).contains(first),
            !onlyFailures || !notification.isDelivered, type == nil || notification.type == type,
            subtype == nil || notification.subtype == subtype
        else { return false }
        return transactionId.map(notification.transactionIds.contains) ?? true
    }
}
