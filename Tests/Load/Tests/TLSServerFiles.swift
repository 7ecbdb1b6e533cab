import CertificateAuthority
import CTLS
import HTTPLoad
import Support
import System

/// A self-signed certificate for a server on this machine, and OpenSSL's context for it.
@safe final class TLSServerFiles: @unchecked Sendable {
    // Unchecked because of the pointer: no code changes the context after init.
    private let context: OpaquePointer
    private let folder: TemporaryDirectory

    /// Makes a certificate for a host. It is valid now, because the client's clock cannot be set.
    init(host: String = "localhost") throws {
        let now = Clock.wallMilliseconds()
        let server = try CertificateAuthority.issue(
            TLSServerCertificate.recipe(
                notBeforeMilliseconds: now - 86_400_000, notAfterMilliseconds: now + 86_400_000, hosts: [host]
            )
        )
        folder = try TemporaryDirectory()
        try folder.write(server.pem, to: "server.pem")
        try folder.write(server.key.pem(), to: "server.key", permissions: 0o600)
        unsafe context = SSL_CTX_new(TLS_server_method())
        let pem = Int32(SSL_FILETYPE_PEM)
        guard unsafe SSL_CTX_use_certificate_file(context, folder.path(of: "server.pem"), pem) == 1,
            unsafe SSL_CTX_use_PrivateKey_file(context, folder.path(of: "server.key"), pem) == 1
        else { throw NoServer() }
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// Returns the trust of a client that accepts this certificate for a name.
    func trust(_ name: String = "localhost") throws -> TLSTrust {
        try TLSTrust(authoritiesFile: folder.path(of: "server.pem"), serverName: name)
    }

    /// Performs the handshake with a client. Returns nil when the handshake fails.
    func accept(_ socket: Int32) -> OpaquePointer? {
        guard let connection = unsafe SSL_new(context) else { return nil }
        if unsafe SSL_set_fd(connection, socket) == 1, unsafe SSL_accept(connection) == 1 {
            return unsafe connection
        }
        unsafe SSL_free(connection)
        return nil
    }

    private struct NoServer: Error {}
}
