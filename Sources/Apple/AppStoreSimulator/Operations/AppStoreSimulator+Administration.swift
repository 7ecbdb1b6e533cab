internal import JSON
internal import Vocabulary

/// The paths with which a user reads the simulator's state and plays Apple's reviewers and customers. They need no token:
/// the web server lets this machine alone ask for them.
extension AppStoreSimulator {
    /// The beginning of these paths.
    public static let administrationPrefix = "/appstore-simulator/"

    /// Answers a request for one of these paths: `GET state`, and `POST` to `review`, `notification-url`, `notifications`,
    /// `deliveries`, `purchase`, `renewal` and `acceptance`.
    mutating func administer(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        do throws(SimulatorRefusal) {
            return try administered(request, at: now, using: &random)
        } catch {
            return error.answer
        }
    }

    private mutating func administered(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorRefusal) -> SimulatorAnswer {
        let name = request.target.dropFirst(Self.administrationPrefix.count)
        switch (request.method, name) {
        case ("GET", "state"):
            return SimulatorAnswer(
                .object([("state", state.node(hasPayloads: false)), ("calls", counts.json)])
            )
        case ("POST", "review"): return try review(request)
        case ("POST", "notification-url"): return try setNotificationURL(request)
        case ("POST", "notifications"): return try makeNotifications(request, at: now, using: &random)
        case ("POST", "deliveries"): return try deliveries(request)
        case ("POST", "purchase"): return try buy(request, at: now, using: &random)
        case ("POST", "renewal"): return try renew(request, at: now, using: &random)
        case ("POST", "acceptance"): return try accept(request, at: now, using: &random)
        default: throw SimulatorRefusal(404, "unknown-path")
        }
    }

    /// Reads `{"bundleId":…, "decision":"approve", "identifiers":[…]}`. Without identifiers, the decision is about everything
    /// that is pending. The bundle identifier may be absent when the team has one app.
    private mutating func review(_ request: SimulatorRequest) throws(SimulatorRefusal) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request),
            let decision = root.member("decision")?.string.flatMap(ReviewDecision.init)
        else { throw .malformed }
        let bundleId = try administeredApp(root).bundleId
        guard let list = root.member("identifiers") else {
            return Self.changed(reviewAll(decision, bundleId: bundleId, environment: request.environment))
        }
        let identifiers = list.elements.compactMap { $0.string.flatMap { UUID($0) } }
        guard list.kind == .array, identifiers.count == list.count else {
            throw .malformed
        }
        let (changed, unknown) = review(
            decision, identifiers: identifiers, bundleId: bundleId, environment: request.environment)
        guard unknown.isEmpty else { throw SimulatorRefusal(404, "unknown-identifier", unknown) }
        return Self.changed(changed)
    }

    /// Returns the app that a request names with `bundleId`; without it, the only app of the team.
    func administeredApp(_ root: JSONValue) throws(SimulatorRefusal) -> SimulatorConfiguration.App {
        let only = configuration.apps.count == 1 ? configuration.apps.first?.bundleId : nil
        guard let app = (root.member("bundleId")?.string ?? only).flatMap(configuration.app) else {
            throw .unknownApp
        }
        return app
    }

    private static func changed(_ items: [ReviewedItem]) -> SimulatorAnswer {
        let list = items.map { item in
            JSONNode.object([
                ("identifier", .string(item.identifier.description)), ("kind", .string(item.kind)),
                ("state", .string(item.state)),
            ])
        }
        return SimulatorAnswer(.object([("changed", .array(list))]))
    }
}
