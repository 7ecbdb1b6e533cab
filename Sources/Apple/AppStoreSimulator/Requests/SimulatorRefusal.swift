internal import JSON
internal import Vocabulary

/// Why the simulator does not do what its user asks on one of its own paths: `{"error":…, "identifiers":[…], "reason":…}`.
struct SimulatorRefusal: Error {
    /// The HTTP status.
    let status: Int
    /// The word for it, which `retentionctl appstore` turns into an error.
    let name: String
    /// The messages and images that the refusal is about.
    var identifiers: [UUID] = []
    /// Why the App Store does not sell an offer; nil for any other refusal.
    var reason: OfferRefusal?

    init(_ status: Int, _ name: String) {
        self.status = status
        self.name = name
    }

    init(_ status: Int, _ name: String, _ identifiers: [UUID]) {
        self.init(status, name)
        self.identifiers = identifiers
    }

    init(_ reason: OfferRefusal) {
        self.init(403, "offer-refused")
        self.reason = reason
    }

    /// The request has not the members that it needs.
    static let malformed = SimulatorRefusal(400, "malformed")
    static let unknownApp = SimulatorRefusal(404, "unknown-app")

    /// The answer to the request.
    var answer: SimulatorAnswer {
        var members: [(String, JSONNode)] = [("error", .string(name))]
        if !identifiers.isEmpty {
            members.append(("identifiers", .array(identifiers.map { .string($0.description) })))
        }
        if let reason { members.append(("reason", .string(reason.rawValue))) }
        return SimulatorAnswer(status: status, body: JSONNode.object(members).serialized())
    }
}
