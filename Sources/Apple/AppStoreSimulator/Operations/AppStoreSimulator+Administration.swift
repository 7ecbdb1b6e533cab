internal import JSON
internal import Vocabulary

/// The paths with which a user reads the simulator's state and plays Apple's reviewers. They need no token: the web server
/// lets this machine alone ask for them.
extension AppStoreSimulator {
    /// The beginning of these paths.
    public static let administrationPrefix = "/appstore-simulator/"

    /// Answers a request for one of these paths: `POST review`, `GET state`.
    mutating func administer(_ request: SimulatorRequest) -> SimulatorAnswer {
        let name = request.target.dropFirst(Self.administrationPrefix.count)
        switch (request.method, name) {
        case ("GET", "state"):
            return SimulatorAnswer(.object([("state", state.node), ("calls", counts.json)]))
        case ("POST", "review"): return review(request)
        default: return Self.failure(404, "unknown-path")
        }
    }

    /// Reads `{"bundleId":…, "decision":"approve", "identifiers":[…]}`. Without identifiers, the decision is about everything
    /// that is pending. The bundle identifier may be absent when the team has one app.
    private mutating func review(_ request: SimulatorRequest) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request),
            let decision = root.member("decision")?.string.flatMap(ReviewDecision.init)
        else { return Self.failure(400, "malformed") }
        let only = configuration.apps.count == 1 ? configuration.apps.first?.bundleId : nil
        guard let bundleId = root.member("bundleId")?.string ?? only, configuration.app(bundleId) != nil
        else {
            return Self.failure(404, "unknown-app")
        }
        guard let list = root.member("identifiers") else {
            return Self.changed(
                reviewAll(decision, bundleId: bundleId, environment: request.environment)
            )
        }
        let identifiers = list.elements.compactMap { $0.string.flatMap { UUID($0) } }
        guard list.kind == .array, identifiers.count == list.count else {
            return Self.failure(400, "malformed")
        }
        let (changed, unknown) = review(
            decision,
            identifiers: identifiers,
            bundleId: bundleId,
            environment: request.environment
        )
        return unknown.isEmpty ? Self.changed(changed) : Self.failure(404, "unknown-identifier", unknown)
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

    private static func failure(_ status: Int, _ name: String, _ identifiers: [UUID] = []) -> SimulatorAnswer
    {
        let document = JSONNode.object([
            ("error", .string(name)),
            ("identifiers", .array(identifiers.map { .string($0.description) })),
        ])
        return SimulatorAnswer(status: status, body: document.serialized())
    }
}
