/// The App Store environment, spelled as Apple spells it in payloads.
///
/// Source: Apple, DecodedRealtimeRequestBody `environment`; the last two are known to Apple's server libraries.
public enum Environment: String, Sendable, Hashable, CaseIterable {
    /// Real customers.
    case production = "Production"
    /// Sandbox and TestFlight customers.
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode; such payloads are not signed by Apple and never accepted here.
    case xcode = "Xcode"
    /// Test traffic of one's own, accepted only for apps with anchors of their own.
    case localTesting = "LocalTesting"
}
