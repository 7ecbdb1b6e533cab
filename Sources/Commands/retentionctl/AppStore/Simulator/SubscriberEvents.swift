internal import HTTPClient
internal import JSON

/// The notifications that the simulator has made for what a customer did.
struct SubscriberEvents {
    private let response: HTTPResponse
    private let notifications: [JSONValue]

    init(_ response: HTTPResponse) throws(ToolFailure) {
        let limits = JSONLimits(byteCount: HTTPClientLimits.responseByteCount, depth: 8)
        let root = try? JSONDocument(parsing: response.body.span, limits: limits).root
        guard let list = root?.member("notifications"), list.kind == .array else {
            throw SimulatorOptions.failure(response)
        }
        self.response = response
        notifications = list.elements
    }

    func show(json: Bool) {
        guard !json else { return Console.print(bytes: response.body + [UInt8(ascii: "\n")]) }
        Console.print(lines: notifications.map(Self.line))
    }

    private static func line(_ value: JSONValue) -> String {
        func text(_ name: String) -> String { value.member(named: name)?.string ?? "-" }
        func date(_ name: String) -> String {
            value.member(named: name)?.int64.map { FactText.date($0) } ?? "-"
        }
        func price(_ name: String) -> String { value.member(named: name)?.int64.map { String($0) } ?? "-" }
        let offer = value.member("offerIdentifier")?.string.map { " with the offer \($0)" } ?? ""
        let coming =
            value.member("renewalOfferIdentifier")?.string.map {
                ", then \(price("renewalPrice")) with the offer \($0)"
            } ?? ""
        return "\(date("signedDate"))  \(text("kind")): \(text("productId")) to \(date("expiresDate")) for "
            + "\(price("price"))\(offer)\(coming)"
    }
}
