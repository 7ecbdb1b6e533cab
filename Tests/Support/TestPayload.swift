/// The payloads that the App Store server signs in these tests.
public enum TestPayload {
    /// A configured app that trusts the anchors of the policy.
    public static let appAppleId: Int64 = 6_745_974_591
    /// A configured app that trusts its own anchor instead.
    public static let strictAppAppleId: Int64 = 6_745_974_592
    /// An app that is not configured.
    public static let foreignAppAppleId: Int64 = 531_412
    /// The product for which the test rules serve nothing.
    public static let silentProduct = "com.example.silent"

    /// Returns a sound request, signed at `signedDate`, milliseconds since 1970.
    public static func request(signedDate: Int64, identifier: Int = 1) -> TestObject {
        let digits = String(UInt32(truncatingIfNeeded: identifier), radix: 16)
        let tail = String(repeating: "0", count: 8 - digits.count) + digits
        return TestObject([
            ("originalTransactionId", "\"\(2_000_000_000 + identifier)\""),
            ("appAppleId", "\(appAppleId)"),
            ("productId", "\"pro_monthly\""),
            ("userLocale", "\"en-US\""),
            ("requestIdentifier", "\"3db5c98d-8acf-4e29-831e-8e1f\(tail)\""),
            ("environment", "\"Production\""),
            ("signedDate", "\(signedDate)"),
        ])
    }
}
