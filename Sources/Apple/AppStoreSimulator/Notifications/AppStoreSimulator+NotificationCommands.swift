internal import AppStoreTraffic
internal import JSON
internal import Vocabulary

/// The paths with which a user sets the URL for notifications, and makes notifications.
extension AppStoreSimulator {
    /// Reads `{"bundleId":…, "url":…}` and sets the URL for notifications of the environment.
    mutating func setNotificationURL(_ request: SimulatorRequest) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request), let url = root.member("url")?.string,
            let host = EndpointHost(url: url), url.utf8.count <= SimulatorLimits.urlByteCount
        else { return Self.failure(400, "malformed") }
        guard let app = administeredApp(root) else { return Self.failure(404, "unknown-app") }
        guard host.isAllowed(by: configuration.allowedHosts) else { return Self.failure(403, "unknown-host") }
        state[app.bundleId][request.environment].notices.url = url
        return SimulatorAnswer(.object([("url", .string(url))]))
    }

    /// Reads `{"bundleId":…, "events":[{"kind":"DID_RENEW", "subscriber":2000000001, "signedDate":…}]}` and makes a
    /// notification of each event, in their order. `signedDate` may be absent.
    mutating func makeNotifications(
        _ request: SimulatorRequest,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request), let list = root.member("events"),
            list.kind == .array, (1...SimulatorLimits.eventCount).contains(list.count)
        else { return Self.failure(400, "malformed") }
        guard let app = administeredApp(root) else { return Self.failure(404, "unknown-app") }
        let events = list.elements.compactMap(NotificationEvent.init)
        guard events.count == list.count else { return Self.failure(400, "unknown-event") }
        if let failure = notifyingFailure(app, request.environment) { return failure }
        var made: [JSONNode] = []
        for event in events {
            let notification = try? notify(event, of: app, in: request.environment, at: now, using: &random)
            guard let notification else { return Self.failure(500, "not-signed") }
            made.append(
                .object([
                    ("notificationUUID", .string(notification.uuid)),
                    ("kind", .string(event.kind.description)),
                    ("originalTransactionId", .string(String(event.subscriber))),
                ])
            )
        }
        return SimulatorAnswer(.object([("notifications", .array(made))]))
    }

    /// Returns the reason why the simulator cannot send notifications of an app, or nil.
    func notifyingFailure(
        _ app: SimulatorConfiguration.App,
        _ environment: Environment
    ) -> SimulatorAnswer? {
        guard configuration.signer != nil else { return Self.failure(409, "no-authority") }
        guard state[app.bundleId][environment].notices.url != nil else {
            return Self.failure(409, "no-notification-url")
        }
        return nil
    }
}

extension NotificationEvent {
    /// Reads an event. The kind is the type, and after a full stop the subtype.
    fileprivate init?(_ value: JSONValue) {
        guard let name = value.member("kind")?.string, let number = value.member("subscriber")?.int64,
            NotificationState.subscriberNumbers.contains(number),
            let kind = NotificationKind.documented.first(where: { $0.description == name })
        else { return nil }
        let signedDate = value.member("signedDate")
        if let signedDate {
            guard let time = signedDate.int64, SimulatedSubscriber.dates.contains(time) else { return nil }
        }
        self.init(kind, number, signedDate: signedDate?.int64)
    }
}
