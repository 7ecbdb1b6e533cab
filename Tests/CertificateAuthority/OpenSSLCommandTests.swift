import AppStoreSimulator
import CertificateAuthority
import Support
import Testing

@Suite("Certificates checked by the openssl command")
struct OpenSSLCommandTests {
    @Test("a sound chain passes -x509_strict at security level 2 inside its validity")
    func soundChain() throws {
        let run = try verify(TestPKI.chain(), atSeconds: TestPKI.now / 1000)
        #expect(run.output.hasSuffix("leaf.pem: OK\n"), "\(run.errors)")
        #expect(run.status == 0)
    }

    @Test(
        "a sound chain is accepted at both ends of its validity and refused outside",
        arguments: [
            (TestPKI.notBefore / 1000 - 1, false), (TestPKI.notBefore / 1000, true),
            // In its last second a certificate has already expired for OpenSSL, unlike in RFC 5280.
            (TestPKI.notAfter / 1000 - 1, true), (TestPKI.notAfter / 1000 + 1, false),
        ]
    )
    func validity(seconds: Int64, isValid: Bool) throws {
        #expect(try (verify(TestPKI.chain(), atSeconds: seconds).status == 0) == isValid)
    }

    @Test("a web server's certificate is valid for localhost and 127.0.0.1 only")
    func webServer() throws {
        let recipe = TLSServerCertificate.recipe(
            notBeforeMilliseconds: TestPKI.notBefore, notAfterMilliseconds: TestPKI.notAfter)
        let folder = try TemporaryDirectory()
        try folder.write(CertificateAuthority.issue(recipe, by: TestPKI.chain().root).pem, to: "server.pem")
        try folder.write(TestPKI.chain().root.pem, to: "root.pem")
        func status(_ check: String, _ name: String) throws -> Int32 {
            try ProgramRun.run(
                "openssl",
                [
                    "verify", "-x509_strict", "-purpose", "sslserver", "-attime", "\(TestPKI.now / 1000)",
                    check, name, "-CAfile", folder.path(of: "root.pem"), folder.path(of: "server.pem"),
                ]
            ).status
        }
        #expect(try status("-verify_ip", "127.0.0.1") == 0)
        #expect(try status("-verify_hostname", "localhost") == 0)
        #expect(try status("-verify_ip", "127.0.0.2") != 0)
        #expect(try status("-verify_hostname", "example.com") != 0)
    }

    private func verify(_ chain: AppleShapedChain, atSeconds seconds: Int64) throws -> ProgramRun {
        let folder = try TemporaryDirectory()
        try folder.write(chain.root.pem, to: "root.pem")
        try folder.write(chain.intermediate.pem, to: "intermediate.pem")
        try folder.write(chain.leaf.pem, to: "leaf.pem")
        return try ProgramRun.run(
            "openssl",
            [
                "verify", "-x509_strict", "-auth_level", "2", "-attime", "\(seconds)",
                "-CAfile", folder.path(of: "root.pem"), "-untrusted", folder.path(of: "intermediate.pem"),
                folder.path(of: "leaf.pem"),
            ]
        )
    }
}
