package import System

/// The payload that Apple's server sends when a subscriber looks at a subscription (DecodedRealtimeRequestBody). A test can
/// make any part of it wrong.
///
/// Source: Apple, Get Retention Message, DecodedRealtimeRequestBody. All seven members are required.
package struct RequestPayload: Sendable {
    /// The identifier of the subscription, a string of digits in practice.
    package var originalTransactionId = "99371282"
    /// Apple's number for the app.
    package var appAppleId: Int64
    /// The product to which the customer is subscribed.
    package var productId: String
    /// The locale of the device, for example `en-US`.
    package var userLocale = "en-US"
    /// The identifier of the request, unique for each request.
    package var requestIdentifier: UUID
    /// The environment: `Sandbox`, `Production`, or `LocalTesting` for a test authority.
    package var environment: String
    /// The time of signing, in milliseconds since 1970.
    package var signedDate: Int64
    /// Members to replace or to add, as JSON texts that are written as they are; nil leaves the member out. When two entries
    /// have the same name, the later entry counts. Only ``appended`` can write a name twice.
    package var overrides: [(name: String, json: String?)] = []
    /// Members that are written after all others, even when their names are there already.
    package var appended: [(name: String, json: String)] = []

    package init(
        appAppleId: Int64, productId: String, environment: Environment, requestIdentifier: UUID,
        signedDate: Int64
    ) {
        self.appAppleId = appAppleId
        self.productId = productId
        self.environment = environment.rawValue
        self.requestIdentifier = requestIdentifier
        self.signedDate = signedDate
    }

    /// Returns a copy of the payload with `change` applied, for tables of payloads.
    package func with(_ change: (inout RequestPayload) -> Void) -> RequestPayload {
        var copy = self
        change(&copy)
        return copy
    }

    /// The payload as JSON text, with the members in Apple's order.
    package var json: [UInt8] {
        var members = PayloadMembers()
        members.set("originalTransactionId", text: originalTransactionId)
        members.set("appAppleId", number: appAppleId)
        members.set("productId", text: productId)
        members.set("userLocale", text: userLocale)
        members.set("requestIdentifier", text: requestIdentifier.description)
        members.set("environment", text: environment)
        members.set("signedDate", number: signedDate)
        for change in overrides { members.set(change.name, json: change.json) }
        for member in appended { members.append(member.name, json: member.json) }
        return members.json
    }
}

extension UUID {
    /// Makes a UUID of version 4 (RFC 9562 section 5.4) from the numbers of a generator, which a seed may repeat.
    package init(randomFrom generator: inout some RandomNumberGenerator) {
        self.init(
            high: generator.next() & ~0xF000 | 0x4000, low: generator.next() & ~(0xC0 << 56) | 0x80 << 56)
    }
}
