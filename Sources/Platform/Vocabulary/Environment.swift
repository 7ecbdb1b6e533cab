/// The App Store environment, spelled as Apple spells it in payloads.
///
/// Source: Apple, DecodedRealtimeRequestBody `environment`. The last two are from Apple's server libraries.
public enum Environment: String, Sendable, Hashable, CaseIterable {
    /// Requests of real customers.
    case production = "Production"
    /// Requests of sandbox and TestFlight customers.
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode. Apple does not sign such payloads, and the service never accepts them.
    case xcode = "Xcode"
    /// Test traffic that the operator makes. The service accepts it only for apps that have anchors of their own.
    case localTesting = "LocalTesting"
}
