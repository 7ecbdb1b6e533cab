package import AppStoreSimulator
package import CertificateAuthority
package import Cryptography

/// Certificate chains in Apple's shape with fixed dates. A process makes them once.
///
/// All certificates are valid from ``notBefore`` to ``notAfter``. Tests pass ``now`` as the current time; no test reads
/// the clock.
package enum TestPKI {
    /// 2026-01-01T00:00:00Z, the first valid moment, milliseconds since 1970.
    package static let notBefore: Int64 = 1_767_225_600_000
    /// 2036-01-01T00:00:00Z, the last valid moment.
    package static let notAfter: Int64 = 2_082_758_400_000
    /// 2026-06-01T12:00:00Z, the moment at which tests take place.
    package static let now: Int64 = 1_780_315_200_000

    package static let recipes = AppleShapedRecipes(
        notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter)

    package static func chain() throws -> AppleShapedChain { try sound.get() }

    package static func foreignChain() throws -> AppleShapedChain { try foreign.get() }

    package static func anchor() throws -> Certificate { try chain().root.certificate() }

    /// Returns a chain with one or more of its recipes changed. A certificate is the sound chain's own when its recipe
    /// and its issuer are unchanged: a chain with only a changed leaf has the sound intermediate.
    package static func chain(
        root: ((inout CertificateRecipe) -> Void)? = nil,
        intermediate: ((inout CertificateRecipe) -> Void)? = nil,
        leaf: ((inout CertificateRecipe) -> Void)? = nil
    ) throws -> AppleShapedChain {
        let sound = try chain()
        let newRoot = try root.map { try CertificateAuthority.issue(recipes.root.with($0)) } ?? sound.root
        let newIntermediate =
            if let intermediate {
                try CertificateAuthority.issue(recipes.intermediate.with(intermediate), by: newRoot)
            } else if root != nil {
                try CertificateAuthority.issue(recipes.intermediate, by: newRoot)
            } else {
                sound.intermediate
            }
        guard root != nil || intermediate != nil || leaf != nil else { return sound }
        let newLeaf = try CertificateAuthority.issue(recipes.leaf.with(leaf ?? { _ in }), by: newIntermediate)
        return AppleShapedChain(root: newRoot, intermediate: newIntermediate, leaf: newLeaf)
    }

    private static let sound = Result { try make() }
    private static let foreign = Result { try make() }

    private static func make() throws -> AppleShapedChain {
        try AppleShapedChain.make(notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter)
    }
}
