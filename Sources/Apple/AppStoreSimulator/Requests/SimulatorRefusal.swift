internal import JSON
internal import System

/// Why the simulator does not do what its user asks on one of its own paths:
/// `{"error":…, "message":…, "identifiers":[…], "reason":…}`.
struct SimulatorRefusal: Error {
    /// The HTTP status.
    let status: Int
    /// The end of the code with which `appstore-simulator` reports it.
    let name: String
    let message: String
    /// The messages and images that the refusal is about.
    var identifiers: [UUID] = []
    /// Why the App Store does not sell an offer; nil for any other refusal.
    var reason: OfferRefusal?

    init(_ status: Int, _ name: String, _ message: String) {
        self.status = status
        self.name = name
        self.message = message
    }

    init(_ reason: OfferRefusal) {
        self.init(403, "offer-refused", reason.text)
        self.reason = reason
    }

    /// The request has not the members that it needs.
    static let malformed = SimulatorRefusal(400, "malformed", "the simulator does not take this")
    static let notSigned = SimulatorRefusal(500, "not-signed", "the notification cannot be signed")

    var answer: SimulatorAnswer {
        var members = [("error", JSONNode.string(name)), ("message", .string(message))]
        if !identifiers.isEmpty {
            members.append(("identifiers", .array(identifiers.map { .string($0.description) })))
        }
        if let reason { members.append(("reason", .string(reason.rawValue))) }
        return SimulatorAnswer(status: status, body: JSONNode.object(members).serialized())
    }
}
