internal import Cryptography

/// What Apple's certificates have that X.509 does not ask for: keys, usages and marker extensions.
enum AppleChainPolicy {
    /// Holds a chain whose signatures and constraints are good against the policy.
    static func check(leaf: Certificate, intermediate: Certificate) throws(Refusal) {
        guard intermediate.keyKind.isSuitableForAuthority else { throw .intermediateKey }
        guard leaf.keyKind == .p256 else { throw .leafKey }
        guard maySignData(leaf) else { throw .leafUsage }
        guard leaf.hasExtension(MarkerOID.leaf) else { throw .leafMarkerMissing }
        guard intermediate.hasExtension(MarkerOID.intermediate) else { throw .intermediateMarkerMissing }
    }

    /// Whether the leaf says of itself what Apple's leaves say: no authority, digitalSignature. A critical
    /// extendedKeyUsage, which Apple's do not have, would have to name any purpose or one of Apple's own.
    private static func maySignData(_ leaf: Certificate) -> Bool {
        guard !leaf.isAuthority, leaf.maySignData else { return false }
        guard let purposes = leaf.criticalPurposes else { return true }
        return purposes.contains { $0 == "2.5.29.37.0" || $0.hasPrefix("1.2.840.113635.100.4.") }
    }
}

/// Apple's marker extensions; their presence counts, their value is ASN.1 NULL.
///
/// Source: Apple, JWSDecodedHeader `x5c`.
public enum MarkerOID {
    /// On the leaf: Mac App Store receipt signing.
    public static let leaf: StaticString = "1.2.840.113635.100.6.11.1"
    /// On the intermediate: Worldwide Developer Relations.
    public static let intermediate: StaticString = "1.2.840.113635.100.6.2.1"
}
