internal import JSON
public import Vocabulary

/// What Apple's server says when a subscriber looks at a subscription: DecodedRealtimeRequestBody, with every chance to
/// say it wrongly.
///
/// Source: Apple, Get Retention Message, DecodedRealtimeRequestBody; all seven members are required.
public struct RequestPayload: Sendable {
    /// The subscription, a string of digits in practice.
    public var originalTransactionId = "99371282"
    /// Apple's number of the app.
    public var appAppleId: Int64
    /// The product the customer is on.
    public var productId: String
    /// The device's locale, `en-US`.
    public var userLocale = "en-US"
    /// Unique for each request.
    public var requestIdentifier: UUID
    /// `Sandbox` or `Production`; `LocalTesting` for authorities of one's own.
    public var environment: String
    /// When it was signed, milliseconds since 1970.
    public var signedDate: Int64
    /// Members to replace or to add, as JSON texts that are written as they are; nil leaves the member out.
    /// Later entries win; an added name that is already there gives a duplicate only through ``appended``.
    public var overrides: [(name: String, json: String?)] = []
    /// Members written after all others without a look at their names.
    public var appended: [(name: String, json: String)] = []

    /// A sound payload.
    public init(
        appAppleId: Int64,
        productId: String,
        environment: Environment,
        requestIdentifier: UUID,
        signedDate: Int64
    ) {
        self.appAppleId = appAppleId
        self.productId = productId
        self.environment = environment.rawValue
        self.requestIdentifier = requestIdentifier
        self.signedDate = signedDate
    }

    /// The payload with something changed, for tables of them.
    public func with(_ change: (inout RequestPayload) -> Void) -> RequestPayload {
        var copy = self
        change(&copy)
        return copy
    }

    /// The JSON text in Apple's order of members.
    public var json: [UInt8] {
        var members: [(name: String, json: String?)] = [
            ("originalTransactionId", Self.text(.string(originalTransactionId))),
            ("appAppleId", String(appAppleId)),
            ("productId", Self.text(.string(productId))),
            ("userLocale", Self.text(.string(userLocale))),
            ("requestIdentifier", Self.text(.string(requestIdentifier.description))),
            ("environment", Self.text(.string(environment))),
            ("signedDate", String(signedDate)),
        ]
        for change in overrides {
            if let index = members.firstIndex(where: { $0.name == change.name }) {
                members[index].json = change.json
            } else {
                members.append(change)
            }
        }
        members += appended.map { ($0.name, $0.json) }
        let texts = members.compactMap { member in
            member.json.map { "\(Self.text(.string(member.name))):\($0)" }
        }
        return Array("{\(texts.joined(separator: ","))}".utf8)
    }

    private static func text(_ node: JSONNode) -> String {
        String(decoding: node.serialized(), as: UTF8.self)
    }
}
