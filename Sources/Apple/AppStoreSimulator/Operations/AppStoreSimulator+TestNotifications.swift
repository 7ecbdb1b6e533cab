internal import AppStoreServerAPI
internal import JSON
internal import System

extension AppStoreSimulator {
    /// How long the token of a test notification is good: six months. Source: Apple, Get Test Notification Status.
    private static let testTokenMilliseconds: Int64 = 183 * 86_400_000

    mutating func requestTestNotification(_ call: Call, using random: inout some RandomNumberGenerator)
        throws(SimulatorProblem) -> SimulatorAnswer
    {
        guard state[call.app.bundleId][call.request.environment].notices.url != nil else {
            throw .apple(.serverNotificationURLNotFound)
        }
        guard let kind = NotificationKind("TEST") else { throw .apple(.internalError) }
        let token = "\(UUID(randomFrom: &random))_\(call.now)"
        _ = try notify(
            // A test notification has no transaction, so this subscriber never exists.
            NotificationEvent(kind, 1, signedDate: nil),
            of: call.app,
            in: call.request.environment,
            testToken: token,
            at: call.now,
            using: &random
        )
        return SimulatorAnswer(.object([("testNotificationToken", .string(token))]))
    }

    /// Get Test Notification Status.
    func testNotificationStatus(_ token: String, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        let parts = token.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUID(String(parts[0])) != nil, let time = Int64(parts[1]), time >= 0 else {
            throw .apple(.invalidTestNotificationToken)
        }
        let notices = state[call.app.bundleId][call.request.environment].notices
        guard let found = notices.notifications.last(where: { $0.testToken == token }),
            !found.attempts.isEmpty,
            call.now - time < Self.testTokenMilliseconds
        else { throw .apple(.testNotificationNotFound) }
        return SimulatorAnswer(found.item)
    }
}
