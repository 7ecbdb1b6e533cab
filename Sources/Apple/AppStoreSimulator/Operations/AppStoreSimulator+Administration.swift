internal import AppStoreServerAPI
internal import JSON
internal import System

/// The paths with which a user reads the simulator's state and plays Apple's reviewers and customers. They need no token:
/// the web server lets this machine alone ask for them.
extension AppStoreSimulator {
    /// The beginning of these paths.
    package static let administrationPrefix = "/appstore-simulator/"

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
            let parts = [
                Array(#"{"state":"#.utf8), state.json, Array(#","calls":"#.utf8), counts.json.serialized(),
            ]
            return SimulatorAnswer(body: parts.flatMap { $0 } + [UInt8(ascii: "}")])
        case ("POST", "review"): return try review(request)
        case ("POST", "notification-url"): return try setNotificationURL(request)
        case ("POST", "notifications"): return try makeNotifications(request, at: now, using: &random)
        case ("POST", "deliveries"): return try deliveries(request)
        case ("POST", "purchase"): return try buy(request, at: now, using: &random)
        case ("POST", "renewal"): return try renew(request, at: now, using: &random)
        case ("POST", "acceptance"): return try accept(request, at: now, using: &random)
        default: throw SimulatorRefusal(404, "unknown-path", "the simulator has no such path")
        }
    }

    /// Reads `{"bundleId":…, "decision":"approve", "identifiers":[…]}`. Without identifiers, the decision is about everything
    /// that is pending. The bundle identifier may be absent when there is one app.
    private mutating func review(_ request: SimulatorRequest) throws(SimulatorRefusal) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request),
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
                var refusal = SimulatorRefusal(
                    404, "unknown-identifier", "the simulator has no message or image \(list)")
                refusal.identifiers = unknown
                throw refusal
            }
            chosen = Set(identifiers)
        }
        // Apple's reviewers can change their minds, too.
        let changed = state[bundleId][request.environment].review(decision) { identifier, state in
            chosen?.contains(identifier) ?? (state == .pending)
        }
        return SimulatorAnswer(.object([("changed", .array(changed))]))
    }

    /// Returns the app that a request names with `bundleId`; without it, the only app that the user has named or that has called.
    func administeredApp(_ root: JSONValue) throws(SimulatorRefusal) -> SimulatorConfiguration.App {
        let known = Set(configuration.apps.map(\.bundleId)).union(state.apps.keys)
        let only = known.count == 1 ? known.first : nil
        guard let bundleId = root.member("bundleId")?.string ?? only else {
            throw SimulatorRefusal(
                404, "unknown-app", "the simulator knows no app, or several; --bundle-id names it")
        }
        return configuration.app(bundleId)
    }
}
