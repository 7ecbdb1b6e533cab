internal import AppStoreServerAPI
internal import JSON
internal import System

private struct StateAnswer: Encodable {
    let state: SimulatorState
    let calls: CallCounts
}

/// The paths of the simulator's user, which need no token: the web server lets this machine alone ask for them.
extension AppStoreSimulator {
    package static let administrationPrefix = "/appstore-simulator/"

    mutating func administer(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorAnswer) -> SimulatorAnswer {
        let name = request.target.dropFirst(Self.administrationPrefix.count)
        switch (request.method, name) {
        case ("GET", "state"):
            return SimulatorAnswer(json: StateAnswer(state: state, calls: counts))
        case ("POST", "review"): return try review(request)
        case ("POST", "notification-url"): return try setNotificationURL(request)
        case ("POST", "notifications"): return try makeNotifications(request, at: now, using: &random)
        case ("POST", "deliveries"): return try deliveries(request)
        case ("POST", "purchase"): return try buy(request, at: now, using: &random)
        case ("POST", "renewal"): return try renew(request, at: now, using: &random)
        case ("POST", "acceptance"): return try accept(request, at: now, using: &random)
        default: throw SimulatorAnswer(refused: 404, "unknown-path", "the simulator has no such path")
        }
    }

    /// Reads `{"decision":"approve", "identifiers":[…]}`; without identifiers it is about everything that is pending.
    private mutating func review(_ request: SimulatorRequest) throws(SimulatorAnswer) -> SimulatorAnswer {
        guard let root = request.root,
            let decision = root.member("decision")?.string.flatMap(ReviewDecision.init)
        else { throw .malformed }
        let bundleId = try administeredApp(root).bundleId
        let known = state[bundleId][request.environment]
        var chosen: Set<UUID>?
        if let list = root.member("identifiers") {
            let identifiers = list.elements.compactMap { $0.string.flatMap { UUID($0) } }
            guard list.kind == .array, identifiers.count == list.count else { throw .malformed }
            let unknown = identifiers.filter { known.images[$0] == nil && known.messages[$0] == nil }
            guard unknown.isEmpty else {
                let list = unknown.map(\.description).joined(separator: ", ")
                throw SimulatorAnswer(
                    refused: 404, "unknown-identifier", "the simulator has no message or image \(list)")
            }
            chosen = Set(identifiers)
        }
        // Apple's reviewers can change their minds, too.
        let changed = state[bundleId][request.environment].review(decision) { identifier, state in
            chosen?.contains(identifier) ?? (state == .pending)
        }
        return SimulatorAnswer(json: ["changed": changed])
    }

    /// The app that a request names with `bundleId`; else the only app that the user has named or that has called.
    func administeredApp(_ root: JSONValue) throws(SimulatorAnswer) -> SimulatorConfiguration.App {
        let known = Set(configuration.apps.map(\.bundleId)).union(state.apps.keys)
        let only = known.count == 1 ? known.first : nil
        guard let bundleId = root.member("bundleId")?.string ?? only else {
            throw SimulatorAnswer(
                refused: 404, "unknown-app", "the simulator knows no app, or several; --bundle-id names it")
        }
        return configuration.app(bundleId)
    }
}

extension AppStoreSimulator {
    mutating func setNotificationURL(_ request: SimulatorRequest) throws(SimulatorAnswer) -> SimulatorAnswer {
        guard let root = request.root, let url = root.member("url")?.string,
            let receiver = ReceiverURL(url), receiver.isSecure
        else { throw .malformed }
        let app = try administeredApp(root)
        guard receiver.isAllowed(by: configuration.allowedHosts) else {
            throw SimulatorAnswer(
                refused: 403, "unknown-host",
                "the URL is not on this machine; --allow-host of `serve` can name its host")
        }
        state[app.bundleId][request.environment].notices.url = url
        return SimulatorAnswer(.object([("url", .string(url))]))
    }

    /// Reads `{"bundleId":…, "events":[{"kind":"DID_RENEW", "subscriber":2000000001, "signedDate":…}]}` and makes a
    /// notification of each event, in their order. `signedDate` may be absent.
    mutating func makeNotifications(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorAnswer) -> SimulatorAnswer {
        guard let root = request.root, let list = root.member("events"),
            list.kind == .array, (1...SimulatorLimits.eventCount).contains(list.count)
        else { throw .malformed }
        let app = try administeredApp(root)
        let events = list.elements.compactMap(NotificationEvent.init)
        guard events.count == list.count else {
            throw SimulatorAnswer(refused: 400, "unknown-event", "no such kind, subscriber or date")
        }
        try checkNotifying(app, request.environment)
        let first = state[app.bundleId][request.environment].notices.notifications.count
        var made: [JSONNode] = []
        for event in events {
            let notification = try? notify(event, of: app, in: request.environment, at: now, using: &random)
            guard let notification else { throw SimulatorAnswer.notSigned }
            made.append(
                .object([
                    ("notificationUUID", .string(notification.uuid)),
                    ("kind", .string(event.kind.description)),
                    ("originalTransactionId", .string(String(event.subscriber))),
                ])
            )
        }
        return SimulatorAnswer(.object([("notifications", .array(made)), ("first", .integer(Int64(first)))]))
    }

    /// Reads `{"bundleId":…, "first":0, "count":3}` and says how the last attempts to send these notifications ended:
    /// `{"pending":1, "results":[{"result":"SUCCESS", "answer":"status 200", "count":2}]}`. Pending are those for which no
    /// attempt has ended.
    func deliveries(_ request: SimulatorRequest) throws(SimulatorAnswer) -> SimulatorAnswer {
        guard let root = request.root, let first = root.member("first")?.int64,
            let count = root.member("count")?.int64, first >= 0,
            (1...Int64(SimulatorLimits.eventCount)).contains(count)
        else { throw .malformed }
        let app = try administeredApp(root)
        var counts: [[String]: Int64] = [:]
        var pending: Int64 = 0
        let notifications = state[app.bundleId][request.environment].notices.notifications
        for notification in notifications.dropFirst(Int(clamping: first)).prefix(Int(count)) {
            guard let attempt = notification.attempts.last else {
                pending += 1
                continue
            }
            counts[[attempt.result.rawValue, notification.lastAnswer ?? ""], default: 0] += 1
        }
        let results = counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, count in
            JSONNode.object([
                ("result", .string(key[0])), ("answer", .string(key[1])), ("count", .integer(count)),
            ])
        }
        return SimulatorAnswer(.object([("pending", .integer(pending)), ("results", .array(results))]))
    }

    func checkNotifying(_ app: SimulatorConfiguration.App, _ environment: Environment)
        throws(SimulatorAnswer)
    {
        guard configuration.signer != nil else {
            throw SimulatorAnswer(
                refused: 409, "no-authority",
                "the simulator has nothing to sign with; start it with --authority")
        }
        guard state[app.bundleId][environment].notices.url != nil else {
            throw SimulatorAnswer(
                refused: 409, "no-notification-url", "no URL for notifications is set; `notify --to` sets it")
        }
    }
}

extension NotificationEvent {
    fileprivate init?(_ value: JSONValue) {
        guard let name = value.member("kind")?.string, let number = value.member("subscriber")?.int64,
            NotificationState.subscriberNumbers.contains(number),
            let kind = NotificationKind.documented.first(where: { $0.description == name })
        else { return nil }
        let signedDate = value.member("signedDate")
        if let signedDate {
            guard let time = signedDate.int64, SimulatedSubscriber.dates.contains(time) else { return nil }
        }
        self.init(kind: kind, subscriber: number, signedDate: signedDate?.int64)
    }
}
