/// The App Store environment, spelled as Apple spells it in payloads.
///
/// Source: Apple, DecodedRealtimeRequestBody `environment`. The last two are from Apple's server libraries.
public enum Environment: String, Sendable, Hashable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode. Apple does not sign such payloads, and the service never accepts them.
    case xcode = "Xcode"
    /// Test traffic that the operator makes. The service accepts it only for apps that have anchors of their own.
    case localTesting = "LocalTesting"
}

public enum StoreIdentifier {
    /// Returns true when `text` can be such an identifier: it has no control character and no U+2063 INVISIBLE SEPARATOR.
    /// That separator stands between the fields that promotionalOfferSignatureV1 signs.
    public static func isPossible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value) && scalar.value != 0x2063
        }
    }
}
