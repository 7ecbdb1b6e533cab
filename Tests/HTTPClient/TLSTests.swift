import AppStoreSimulator
import CertificateAuthority
import HTTPClient
import Support
import System
import Testing

@Suite("The HTTP client over TLS")
struct TLSTests {
    @Test("trusts the given authority for the names of the certificate, and for no other name")
    func trust() throws {
        let server = try TLSServer(issuedBy: TestPKI.chain().root)
        let own = server.folder.path(of: "authority.pem")
        try server.folder.write(TestPKI.foreignChain().root.pem, to: "foreign.pem")
        #expect(try server.status(host: "localhost", authorities: own) == "200")
        // The same server under a name that its certificate does not have.
        #expect(try server.status(host: "127.0.0.1", authorities: own) == "http.unreachable")
        let foreign = server.folder.path(of: "foreign.pem")
        #expect(try server.status(host: "localhost", authorities: foreign) == "http.unreachable")
        // The authorities of the system do not include the authority of the test.
        #expect(try server.status(host: "localhost", authorities: nil) == "http.unreachable")
    }

    @Test("measures the TLS handshake on a new connection")
    func timings() throws {
        let server = try TLSServer(issuedBy: TestPKI.chain().root)
        let response = try server.perform(
            host: "localhost", authorities: server.folder.path(of: "authority.pem"))
        let times = response.timings
        #expect(times.usedNewConnection)
        #expect(0 < times.connectMicroseconds)
        #expect(times.connectMicroseconds < times.tlsMicroseconds)
        #expect(times.tlsMicroseconds < times.firstByteMicroseconds)
        #expect(times.firstByteMicroseconds <= times.totalMicroseconds)
    }
}

/// `openssl s_server` with a certificate for `localhost` and not for its address.
private final class TLSServer {
    let folder: TemporaryDirectory
    private let server: TLSServerProcess

    init(issuedBy authority: IssuedCertificate) throws {
        folder = try TemporaryDirectory()
        // The certificates are valid at the current time, because the client's clock cannot be set.
        let now = Clock.wallMilliseconds()
        let recipe = TLSServerCertificate.recipe(
            notBeforeMilliseconds: now - 86_400_000, notAfterMilliseconds: now + 86_400_000, addresses: [])
        let root = try CertificateAuthority.issue(
            TestPKI.recipes.root.with {
                $0.key = authority.key
                $0.notBeforeMilliseconds = now - 86_400_000
                $0.notAfterMilliseconds = now + 86_400_000
            }
        )
        let identity = try CertificateAuthority.issue(recipe, by: root)
        try folder.write(root.pem, to: "authority.pem")
        try folder.write(identity.pem, to: "server.pem")
        try folder.write(identity.key.pem(), to: "server.key", permissions: 0o600)
        server = try TLSServerProcess(
            openSSLWith: folder.path(of: "server.pem"), key: folder.path(of: "server.key"), in: folder)
    }

    /// Returns the status of the answer, or the code of the failure.
    func status(host: String, authorities: String?) throws -> String {
        do throws(HTTPClientError) {
            return "\(try perform(host: host, authorities: authorities).status)"
        } catch {
            return error.code
        }
    }

    func perform(host: String, authorities: String?) throws(HTTPClientError) -> HTTPResponse {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = authorities
        let client = try HTTPClient(configuration: configuration)
        return try client.perform(HTTPRequest(method: "GET", url: "https://\(host):\(server.port)/"))
    }
}
