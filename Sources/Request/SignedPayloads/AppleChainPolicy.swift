internal import Cryptography

/// Apple's own requirements for certificates, beyond X.509: keys, usages and marker extensions.
enum AppleChainPolicy {
    /// Checks a chain whose signatures and constraints are already known to be good.
    ///
    /// - Throws: the refusal for the first requirement that the chain does not meet.
    static func check(leaf: Certificate, intermediate: Certificate) throws(Refusal) {
        guard intermediate.keyKind.isSuitableForAuthority else { throw .intermediateKey }
        guard leaf.keyKind == .p256 else { throw .leafKey }
        guard maySignData(leaf) else { throw .leafUsage }
        guard leaf.hasExtension(MarkerOID.leaf) else { throw .leafMarkerMissing }
        guard intermediate.hasExtension(MarkerOID.intermediate) else { throw .intermediateMarkerMissing }
    }

    /// Returns true when the leaf says what Apple's leaves say: it is not an authority, and keyUsage has
    /// digitalSignature. Apple's leaves have no critical extendedKeyUsage. If a leaf has one, it must name any purpose
    /// (anyExtendedKeyUsage) or a purpose of Apple's own.
    private static func maySignData(_ leaf: Certificate) -> Bool {
        guard !leaf.isAuthority, leaf.maySignData else { return false }
        guard let purposes = leaf.criticalPurposes else { return true }
        return purposes.contains { $0 == "2.5.29.37.0" || $0.hasPrefix("1.2.840.113635.100.4.") }
    }
}

/// Apple's marker extensions. Only their presence counts; their value is ASN.1 NULL.
///
/// Source: Apple, JWSDecodedHeader `x5c`.
public enum MarkerOID {
    /// The marker on the leaf: Mac App Store receipt signing.
    public static let leaf: StaticString = "1.2.840.113635.100.6.11.1"
    /// The marker on the intermediate: Worldwide Developer Relations.
    public static let intermediate: StaticString = "1.2.840.113635.100.6.2.1"
}
