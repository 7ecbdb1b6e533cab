import AppStoreSimulator
import CertificateAuthority
import Cryptography
@testable import Pool
import SignedPayloads
import Support
import System
import Testing

@Suite("Certificates that are configured as anchors")
struct AnchorTests {
    typealias Change = @Sendable (inout CertificateRecipe) -> Void

    static let refused: [(code: String, change: Change)] = [
        ("anchor-not-authority", { $0.isCA = false }),
        ("anchor-not-authority", { $0.isCA = nil }),
        ("anchor-not-authority", { $0.basicConstraintsIsCritical = false }),
        ("anchor-not-authority", { $0.version = 1 }),
        ("anchor-key-usage", { $0.keyUsage = .digitalSignature }),
        ("anchor-key-usage", { $0.keyUsage = .revocationListSigning }),
        ("anchor-key-usage", { $0.keyUsage = nil }),
        ("anchor-not-self-signed", { $0.issuerName = DistinguishedName(commonName: "Somebody") }),
        ("anchor-not-self-signed", { $0.hasDamagedSignature = true }),
        ("anchor-not-self-signed", { $0.signer = try? PrivateKey.generate(.p384) }),
        ("anchor-path-length", { $0.pathLength = 0 }),
        ("anchor-key-identifier", { $0.subjectKeyIdentifier = .absent }),
        ("anchor-key-unsuitable", { $0.algorithm = .p521 }),
        ("anchor-key-unsuitable", { $0.algorithm = .rsa1024 }),
        ("anchor-key-unsuitable", { $0.algorithm = .ed25519 }),
        ("anchor-key-unsuitable", { $0.algorithm = .p256Explicit }),
    ]

    @Test("are refused when no chain below them could be valid", arguments: refused.indices)
    func flaws(index: Int) throws {
        let (code, change) = Self.refused[index]
        let root = try CertificateAuthority.issue(TestPKI.recipes.root.with(change))
        try Self.check([root.pem], code)
        // A good certificate beside the bad one does not help.
        try Self.check([TestPKI.chain().root.pem, root.pem], code)
    }

    @Test(
        "lead to a warning when they are not valid now",
        arguments: [
            (-20, -10, ["custom-anchors", "anchor-expired"]),
            (10, 20, ["custom-anchors", "anchor-not-yet-valid"]),
        ]
    )
    func validity(from first: Int64, to last: Int64, codes: [String]) throws {
        let now = Clock.wallMilliseconds()
        let recipe = TestPKI.recipes.root.with {
            $0.notBeforeMilliseconds = now + first * 86_400_000
            $0.notAfterMilliseconds = now + last * 86_400_000
        }
        let world = try LoaderWorld()
        try Self.configure(world, [CertificateAuthority.issue(recipe).pem])
        let warnings = try world.load().warnings.filter { $0.code != "no-rules" }
        #expect(warnings.map(\.code) == codes)
        #expect(warnings.last?.description.contains("CN=Test Root CA - G3") == true)
    }

    /// The app in LocalTesting has the anchors in `local.pem`. The other app and the top level have the named ones.
    static let shared: [(top: String?, other: String?, isRefused: Bool)] = [
        (nil, nil, false), ("test", nil, true), (nil, "test", true), ("other", nil, false),
        ("test", "other", false), ("other", "test", true),
    ]

    @Test("may be for LocalTesting or for other environments, but not for both", arguments: shared.indices)
    func localTesting(index: Int) throws {
        let (top, other, isRefused) = Self.shared[index]
        let world = try LoaderWorld()
        try world.folder.write(TestPKI.chain().root.pem, to: "local.pem")
        try world.folder.write(TestPKI.chain().root.pem, to: "test.pem")
        try world.folder.write(TestPKI.foreignChain().root.pem, to: "other.pem")
        func member(_ name: String?) -> String {
            name.map { #", "anchors": ["\#(world.folder.path(of: "\($0).pem"))"]"# } ?? ""
        }
        let apps = """
            [{"appAppleId": 1, "bundleId": "a", "environments": ["Sandbox"]\(member(other))},
             {"appAppleId": 2, "bundleId": "b", "environments": ["LocalTesting"]\(member("local"))}]
            """
        try world.configure(member(top), apps: apps)
        try Self.check(world, isRefused ? "configuration.local-testing-anchors" : nil)
    }

    @Test("are refused for LocalTesting when they are Apple's")
    func appleInLocalTesting() throws {
        let world = try LoaderWorld()
        try world.folder.write(AppleCertificates.rootG3.certificate().pem, to: "root.pem")
        let apps = """
            [{"appAppleId": 2, "bundleId": "b", "environments": ["LocalTesting"],
              "anchors": ["\(world.folder.path(of: "root.pem"))"]}]
            """
        try world.configure(apps: apps)
        let error = try Self.check(world, "configuration.local-testing-anchors")
        #expect(error?.description.contains("apps[0].anchors: ") == true)
        #expect(error?.description.contains("CN=Apple Root CA - G3") == true)
        #expect(error?.description.contains("retentionctl setup --test") == true)
    }

    private static func configure(_ world: LoaderWorld, _ certificates: [String]) throws {
        try world.folder.write(certificates.joined(), to: "root.pem")
        try world.configure(#", "anchors": ["\#(world.folder.path(of: "root.pem"))"]"#)
    }

    private static func check(_ certificates: [String], _ code: String) throws {
        let world = try LoaderWorld()
        try configure(world, certificates)
        let error = try check(world, code)
        #expect(error?.description.hasPrefix(world.folder.path(of: "root.pem: ")) == true)
    }

    @discardableResult
    private static func check(_ world: LoaderWorld, _ code: String?) throws -> ServiceError? {
        do throws(ServiceError) {
            _ = try world.load()
            #expect(code == nil, "the load was accepted")
            return nil
        } catch {
            #expect(error.code == code, "\(error)")
            return error
        }
    }
}
