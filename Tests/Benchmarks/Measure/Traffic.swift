internal import AppStoreSimulator
internal import CertificateAuthority
internal import Cryptography
internal import HTTPLoad
internal import System

/// Signed requests in Apple's shape, all different, and the files that the C programs read.
struct Traffic {
    /// The app in the requests.
    static let appAppleId: Int64 = 531_412
    static let bundleId = "com.example"
    static let productId = "com.example.product"
    /// More than the 10,000 that are promised, so that a run never sees a payload twice within 10,000 requests.
    static let bodyCount = 10_240
    /// Far more than any cache of chains or intermediates holds, so that no chain is in a cache when its turn comes
    /// again.
    static let chainCount = 200

    /// The anchor.
    let root: IssuedCertificate
    /// The chain of the bodies.
    let knownChain: AppleShapedChain
    /// Request bodies under one chain.
    let bodies: [[UInt8]]
    /// Request bodies, each with its own intermediate and leaf.
    let unseen: [[UInt8]]
    let bodiesFile: String
    /// The bodies as whole HTTP requests, for the load generator.
    let requestsFile: String
    let unseenFile: String
    let leafFile: String
    let rootFile: String
    /// The anchor as PEM, for the daemon's configuration.
    let anchorFile: String

    /// Makes the requests and writes the files.
    init(in workspace: Workspace) throws {
        let now = Clock.wallMilliseconds()
        let recipes = AppleShapedRecipes(
            // The histories of subscribers go back more than a year.
            notBeforeMilliseconds: now - 730 * 86_400_000,
            notAfterMilliseconds: now + 86_400_000
        )
        let root = try CertificateAuthority.issue(recipes.root)
        func chain() throws -> AppleShapedChain {
            let intermediate = try CertificateAuthority.issue(recipes.intermediate, by: root)
            let leaf = try CertificateAuthority.issue(recipes.leaf, by: intermediate)
            return AppleShapedChain(root: root, intermediate: intermediate, leaf: leaf)
        }
        func payload(_ number: Int) -> RequestPayload {
            var payload = RequestPayload(
                appAppleId: Self.appAppleId, productId: Self.productId, environment: .sandbox,
                requestIdentifier: UUID(
                    high: UInt64(now) << 16 | 0x4000, low: 0x8000_0000_0000_0000 | UInt64(number)),
                signedDate: now)
            payload.originalTransactionId = String(2_000_000_000 + number)
            return payload
        }
        let known = try chain()
        let signer = try SignedRequestBuilder(chain: known)
        self.root = root
        knownChain = known
        bodies = try (0..<Self.bodyCount).map { try signer.body(payload($0)) }
        unseen = try (0..<Self.chainCount).map { try SignedRequestBuilder(chain: chain()).body(payload($0)) }
        bodiesFile = workspace.path(of: "bodies.bin")
        requestsFile = workspace.path(of: "requests.bin")
        unseenFile = workspace.path(of: "unseen.bin")
        leafFile = workspace.path(of: "leaf.der")
        rootFile = workspace.path(of: "root.der")
        anchorFile = workspace.path(of: "root.pem")
        try workspace.write(Self.joined(bodies), to: "bodies.bin")
        try workspace.write(Self.joined(bodies.map(Self.request)), to: "requests.bin")
        try workspace.write(Self.joined(unseen), to: "unseen.bin")
        try workspace.write(known.leaf.der, to: "leaf.der")
        try workspace.write(root.der, to: "root.der")
        try workspace.write(root.pem, to: "root.pem")
        try Self.writeServerCertificate(in: workspace, now: now)
    }

    /// Returns the request that Apple sends with this body.
    private static func request(_ body: [UInt8]) -> [UInt8] {
        RequestText.post("/retention-message", body)
    }

    /// Returns the bodies one after the other, each after its length in four bytes, little-endian.
    static func joined(_ bodies: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bodies.reduce(0) { $0 + 4 + $1.count })
        for body in bodies {
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: body.count >> shift)) }
            bytes += body
        }
        return bytes
    }

    private static func writeServerCertificate(in workspace: Workspace, now: Int64) throws {
        let server = try CertificateAuthority.issue(
            TLSServerCertificate.recipe(
                notBeforeMilliseconds: now - 86_400_000, notAfterMilliseconds: now + 86_400_000)
        )
        try workspace.write(server.pem, to: "server.pem")
        try workspace.write(try server.key.pem(), to: "server.key", permissions: 0o600)
    }
}
