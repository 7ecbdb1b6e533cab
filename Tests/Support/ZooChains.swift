internal import AppStoreSimulator
package import CertificateAuthority
internal import Cryptography

extension Zoo {
    package static let chain: [ZooRow] = [
        ZooRow("an untrusted leaf and intermediate before our root", 401, "chain-invalid") { forge in
            let own = forge.foreign.chain.x5c
            return try forge.body(x5c: [own[0], own[1], forge.trusted.chain.root.base64])
        },
        order("intermediate, leaf, root", [1, 0, 2]),
        order("the leaf twice", [0, 0, 2]),
        order("the root three times", [2, 2, 2]),
        order("the root as intermediate", [0, 2, 2]),
        leaf("a leaf with a bad signature", "chain-invalid") { $0.hasDamagedSignature = true },
        intermediate("an intermediate with a bad signature", "chain-invalid") {
            $0.hasDamagedSignature = true
        },
        ZooRow("a leaf signed by another intermediate of the same name", 401, "chain-invalid") { forge in
            let twin = try forge.intermediate { _ in }
            return try forge.body(leaf: forge.leaf(by: twin))
        },
        leaf("a leaf that names another issuer", "chain-invalid") {
            $0.issuerName = DistinguishedName(commonName: "Somebody else")
        },
        leaf("a leaf with different inner and outer algorithms", "chain-invalid") {
            $0.innerDigest = .sha256
        },
        copy("a copy of the leaf with a long length", .algorithmLength84, of: 0),
        copy("a copy of the leaf with an indefinite length", .algorithmIndefinite, of: 0),
        copy("a copy of the intermediate with a padded length", .bitStringPadded, of: 1),
        ZooRow(accepted: "a leaf with n - s for s") { forge in
            let leaf = forge.trusted.chain.leaf
            let twin = CertificateParts(leaf.der).twin(order: CertificateParts.orderP384)
            return try forge.body(leaf: IssuedCertificate(der: twin, key: leaf.key, name: leaf.name))
        },
        leaf("a leaf signed over SHA-1", "chain-invalid") { $0.digest = .sha1 },
        intermediate("an intermediate signed over SHA-1", "chain-invalid") { $0.digest = .sha1 },
        leaf("a leaf with an unknown critical extension", "chain-invalid") {
            $0.extensions = [.marker("1.3.6.1.4.1.99999.1", isCritical: true)]
        },
        leaf("a leaf without authority key identifier", "chain-invalid") {
            $0.authorityKeyIdentifier = .absent
        },
        leaf("a leaf with another authority's key identifier", "chain-invalid") {
            $0.authorityKeyIdentifier = .bytes([UInt8](repeating: 7, count: 20))
        },
        intermediate("an intermediate that is not an authority", "chain-invalid") { $0.isCA = false },
        intermediate("an intermediate without basic constraints", "chain-invalid") { $0.isCA = nil },
        intermediate("basic constraints that are not critical", "chain-invalid") {
            $0.basicConstraintsIsCritical = false
        },
        intermediate("an intermediate that may not sign certificates", "chain-invalid") {
            $0.keyUsage = [.revocationListSigning]
        },
        intermediate("an intermediate without key usage", "chain-invalid") { $0.keyUsage = nil },
        intermediate("an intermediate without subject key identifier", "chain-invalid") {
            $0.subjectKeyIdentifier = .absent
        },
        intermediate("an intermediate that permits other names only", "chain-invalid") {
            $0.extensions = [.nameConstraints(permitting: DistinguishedName(commonName: "Somebody else"))]
        },
        intermediate("an intermediate with an RSA key of 1024 bits", "chain-invalid") {
            $0.algorithm = .rsa1024
        },
        intermediate("an intermediate on P-521", "intermediate-key-unsuitable") { $0.algorithm = .p521 },
        leaf("a leaf on P-384", "leaf-key-not-p256") { $0.algorithm = .p384 },
        leaf("a leaf on P-521", "leaf-key-not-p256") { $0.algorithm = .p521 },
        leaf("a leaf with an RSA key", "leaf-key-not-p256") { $0.algorithm = .rsa2048 },
        leaf("a leaf with an Ed25519 key", "leaf-key-not-p256") { $0.algorithm = .ed25519 },
        leaf("a leaf with explicit curve parameters", "chain-invalid") { $0.algorithm = .p256Explicit },
        leaf("a leaf that is an authority", "leaf-usage-unsuitable") { $0.isCA = true },
        leaf("a leaf for encryption", "leaf-usage-unsuitable") { $0.keyUsage = .keyEncipherment },
        leaf("a leaf for web servers only", "leaf-usage-unsuitable") {
            $0.extensions = [.extendedKeyUsage(["1.3.6.1.5.5.7.3.1"], isCritical: true)]
        },
        leaf("a leaf without Apple's marker", "leaf-marker-missing") { $0.markers = [] },
        leaf("a leaf with the intermediate's marker", "leaf-marker-missing") {
            $0.markers = [AppleShapedChain.intermediateMarker]
        },
        intermediate("an intermediate without Apple's marker", "intermediate-marker-missing") {
            $0.markers = []
        },
        intermediate("an intermediate with the leaf's marker", "intermediate-marker-missing") {
            $0.markers = [AppleShapedChain.leafMarker]
        },
        leaf("a leaf that has expired", "certificate-expired") {
            $0.notAfterMilliseconds -= 366 * ZooForge.day
        },
        leaf("a leaf that is valid from tomorrow", "certificate-not-yet-valid") {
            $0.notBeforeMilliseconds += 31 * ZooForge.day
        },
        intermediate("an intermediate that has expired", "certificate-expired") {
            $0.notAfterMilliseconds -= 366 * ZooForge.day
        },
        intermediate("an intermediate that is valid from tomorrow", "certificate-not-yet-valid") {
            $0.notBeforeMilliseconds += 31 * ZooForge.day
        },
        ZooRow(accepted: "an intermediate with an RSA key of 2048 bits") { forge in
            try forge.body { $0.algorithm = .rsa2048 }
        },
        ZooRow(accepted: "an intermediate on P-256") { forge in try forge.body { $0.algorithm = .p256 } },
        ZooRow(accepted: "a leaf with an unknown extension that is not critical") { forge in
            try forge.body(leaf: forge.leaf { $0.extensions = [.marker("1.3.6.1.4.1.99999.1")] })
        },
        ZooRow(accepted: "a new leaf signed by the known intermediate") { try $0.body(leaf: $0.leaf()) },
    ]

    package static let signature: [ZooRow] = [
        signature("a signature with one flipped bit", "signature-invalid") {
            [$0[0] ^ 1] + $0.dropFirst()
        },
        signature("a signature of zeros", "signature-invalid") { _ in [UInt8](repeating: 0, count: 64) },
        signature("a signature of ones", "signature-invalid") { _ in [UInt8](repeating: 0xFF, count: 64) },
        signature("r and s in the wrong order", "signature-invalid") { $0.suffix(32) + $0.prefix(32) },
        signature("an s of zero", "signature-invalid") { $0.prefix(32) + [UInt8](repeating: 0, count: 32) },
        signature("a signature that is cut off", "signature-not-64-bytes") { Array($0.dropLast()) },
        signature("a signature with an extra byte", "signature-not-64-bytes") { $0 + [0] },
        signature("a signature of 96 bytes", "signature-not-64-bytes") { $0 + $0.prefix(32) },
        ZooRow("a signature in DER", 401, "signature-not-64-bytes") { forge in
            let input = TestSigner.signingInput(forge.trusted.header.text, forge.payload.text)
            return TestSigner.body(
                TestSigner.token(input, signature: try forge.trusted.key.signDER(input.span))
            )
        },
        ZooRow("a signature by another key", 401, "signature-invalid") { forge in
            TestSigner.body(try forge.foreign.token(forge.payload.text, header: forge.trusted.header))
        },
        ZooRow("a signature over the payload only", 401, "signature-invalid") { forge in
            let input = TestSigner.signingInput(forge.trusted.header.text, forge.payload.text)
            let payload = forge.payload.text
            return TestSigner.body(
                TestSigner.token(input, signature: try forge.trusted.key.sign(payload.span))
            )
        },
        ZooRow("a payload replaced after signing", 401, "signature-invalid") { forge in
            var parts = try forge.parts()
            let other = TestSigner.signingInput([], forge.payload.setting("productId", "\"x\"").text)
            parts[1] = Array(other.dropFirst())
            return TestSigner.body(Array(parts.joined(separator: [UInt8(ascii: ".")])))
        },
        ZooRow("a header replaced after signing", 401, "signature-invalid") { forge in
            var parts = try forge.parts()
            let other = TestSigner.signingInput(forge.trusted.header.adding("kid", "1").text, [])
            parts[0] = Array(other.dropLast())
            return TestSigner.body(Array(parts.joined(separator: [UInt8(ascii: ".")])))
        },
        ZooRow("a bad signature over a payload that is not JSON", 401, "signature-invalid") { forge in
            let input = TestSigner.signingInput(forge.trusted.header.text, Array("hello".utf8))
            return TestSigner.body(TestSigner.token(input, signature: [UInt8](repeating: 1, count: 64)))
        },
        ZooRow("a bad signature under an expired leaf", 401, "signature-invalid") { forge in
            let leaf = try forge.leaf { $0.notAfterMilliseconds -= 366 * ZooForge.day }
            let header = TestSigner.header(x5c: [leaf.base64] + forge.trusted.chain.x5c.dropFirst())
            return try forge.body(header: header)
        },
    ]

    private static func order(_ name: String, _ order: [Int]) -> ZooRow {
        ZooRow(name, 401, "chain-invalid") { forge in
            try forge.body(x5c: order.map { forge.trusted.chain.x5c[$0] })
        }
    }

    private static func copy(_ name: String, _ copy: CertificateCopy, of position: Int) -> ZooRow {
        ZooRow(name, 401, "x5c-not-der") { forge in
            let chain = forge.trusted.chain
            var all = [chain.leaf.der, chain.intermediate.der, chain.root.der]
            all[position] = copy.applied(to: all[position])
            return try forge.body(x5c: all.map { String(decoding: Base64.encode($0.span), as: UTF8.self) })
        }
    }

    private static func leaf(
        _ name: String, _ code: String, _ change: @escaping @Sendable (inout CertificateRecipe) -> Void
    ) -> ZooRow {
        ZooRow(name, 401, code) { try $0.body(leaf: $0.leaf(change)) }
    }

    private static func intermediate(
        _ name: String, _ code: String, _ change: @escaping @Sendable (inout CertificateRecipe) -> Void
    ) -> ZooRow {
        ZooRow(name, 401, code) { try $0.body(intermediate: change) }
    }

    private static func signature(
        _ name: String, _ code: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> ZooRow {
        ZooRow(name, 401, code) { try $0.body(signature: change) }
    }
}

extension KeyUsage {
    package static let keyEncipherment = KeyUsage(rawValue: 0x20)
}

extension CertificateExtension {
    /// Returns nameConstraints that permit only subjects under `directory`.
    fileprivate static func nameConstraints(permitting directory: DistinguishedName) -> Self {
        let subtree = DER.sequence(DER.value(0xA4, directory.der))
        return Self("2.5.29.30", isCritical: true, value: DER.sequence(DER.value(0xA0, subtree)))
    }
}
