public import AppStoreTraffic
public import CertificateAuthority
public import Cryptography

/// Chains in Apple's shape with fixed dates, made once a process.
///
/// Times: everything is valid from ``notBefore`` to ``notAfter``, and tests say that it is ``now``; none of them reads
/// the clock.
public enum TestPKI {
    /// 2026-01-01T00:00:00Z, the first valid moment, milliseconds since 1970.
    public static let notBefore: Int64 = 1_767_225_600_000
    /// 2036-01-01T00:00:00Z, the last valid moment.
    public static let notAfter: Int64 = 2_082_758_400_000
    /// 2026-06-01T12:00:00Z, the moment at which tests take place.
    public static let now: Int64 = 1_780_315_200_000

    /// The sound recipes, to be changed for a bad chain.
    public static let recipes = AppleShapedRecipes(
        notBeforeMilliseconds: notBefore,
        notAfterMilliseconds: notAfter
    )

    /// The sound chain.
    public static func chain() throws -> AppleShapedChain { try sound.get() }

    /// Another sound chain with the same names, under a root of its own that nobody configured.
    public static func foreignChain() throws -> AppleShapedChain { try foreign.get() }

    /// The sound root as a trusted anchor.
    public static func anchor() throws -> Certificate { try chain().root.certificate() }

    /// A chain with one or more of its recipes changed. What is not changed is the sound chain's own, so that a chain
    /// with a bad leaf stands on the sound intermediate.
    public static func chain(
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
