internal import AppStoreTraffic
internal import Vocabulary

/// The values of one notification of a life. Two notifications that have the same number in their lives differ in nothing else.
struct HistoryValues {
    /// The time of the purchase and of signing, milliseconds since 1970.
    let signedAt: Int64
    /// The start of the first period.
    let subscribedAt: Int64
    /// The end of the running period.
    let expiresAt: Int64
    let originalTransactionId: String
    let transactionId: String
    let webOrderLineItemId: String
    let appTransactionId: String
    let storefront: String
    let uuid: String
    /// The subscription, from which a notification is made member by member.
    let sample: SubscriptionSample
    /// The values as they stand in payloads, always in this order. Each has the same length in all notifications.
    let texts: [[UInt8]]

    /// The values of a subscriber in period `period`; the first is 1.
    init(subscriber: Int, period: Int64, signedAt: Int64, uuid: UUID) {
        let duration: Int64 = 30 * 86_400_000
        let original = 2_000_000_100_000_000 + Int64(subscriber) * 100
        let transaction = original + period - 1
        self.signedAt = signedAt
        self.uuid = uuid.description
        subscribedAt = signedAt - (period - 1) * duration
        expiresAt = signedAt + duration
        originalTransactionId = String(original)
        transactionId = String(transaction)
        webOrderLineItemId = String(transaction + 500_000_000)
        appTransactionId = String(original + 700_000_000)
        storefront = ["USA", "DEU", "JPN", "BRA", "FRA"][subscriber % 5]
        var sample = SubscriptionSample(
            appAppleId: Traffic.appAppleId, bundleId: Traffic.bundleId, environment: .sandbox,
            purchaseDate: signedAt)
        sample.originalTransactionId = original
        sample.period = period
        sample.productId = Traffic.productId
        sample.storefront = storefront
        self.sample = sample
        texts = [
            originalTransactionId, transactionId, webOrderLineItemId, appTransactionId, String(signedAt),
            String(subscribedAt), String(expiresAt), "\"\(storefront)\"", self.uuid,
        ].map { Array($0.utf8) }
    }
}

/// A text in which other values of the same lengths can stand at the same places.
struct TextPattern {
    private let text: [UInt8]
    /// Where the values stand, each by its number.
    private let places: [(value: Int, range: Range<Int>)]

    /// Finds `values` in a text.
    init(_ text: [UInt8], _ values: [[UInt8]]) {
        self.text = text
        places = values.enumerated().flatMap { number, value in
            let starts = text.indices.prefix(max(0, text.count - value.count + 1))
            return starts.filter { text[$0...].starts(with: value) }
                .map { (value: number, range: $0..<$0 + value.count) }
        }
    }

    /// Returns the text with other values.
    func filled(_ values: [[UInt8]]) -> [UInt8] {
        var text = text
        for place in places { text.replaceSubrange(place.range, with: values[place.value]) }
        return text
    }
}
