import AppStoreTraffic
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

    @Test("the changes of a recipe are in the certificate")
    func recipe() throws {
        let chain = try TestPKI.chain(leaf: {
            $0.serial = [0x01, 0x02, 0x03]
            $0.subject = DistinguishedName(commonName: "Größe", organizationalUnit: "Unit")
            $0.digest = .sha512
            $0.extendedKeyUsage = ["1.3.6.1.5.5.7.3.4"]
            $0.pathLength = 5
            $0.isCA = true
            $0.basicConstraintsIsCritical = false
            $0.keyUsage = [.certificateSigning, .keyEncipherment]
            $0.extensions = [
                .subjectAlternativeName(hosts: ["a.example"], addresses: [[10, 0, 0, 1]]),
                .nameConstraints(permitting: DistinguishedName([.organization("Org")])),
                CertificateExtension("1.2.3.4.99999", isCritical: true, value: DER.octetString([1])),
            ]
        })
        let text = try print(chain.leaf)
        let expected = [
            "Version: 3 (0x2)", "66051 (0x10203)", "ecdsa-with-SHA512", "CN = Gr\\C3\\B6\\C3\\9Fe, OU = Unit",
            "E-mail Protection", "CA:TRUE, pathlen:5", "Key Encipherment, Certificate Sign",
            "DNS:a.example, IP Address:10.0.0.1", "DirName:O = Org", "1.2.3.4.99999: critical",
            "1.2.840.113635.100.6.11.1",
        ]
        for line in expected { #expect(text.contains(line), "\(line) is missing") }
        #expect(text.contains("X509v3 Basic Constraints: \n"))
    }

    @Test(
        "every kind of key and digest makes a certificate with a good signature",
        arguments: PrivateKey.Algorithm.allCases.filter { $0 != .rsa4096 }
    )
    func algorithms(algorithm: PrivateKey.Algorithm) throws {
        for digest in SignatureDigest.allCases {
            let certificate = try CertificateAuthority.issue(
                TestPKI.recipes.root.with {
                    $0.algorithm = algorithm
                    $0.digest = digest
                }
            )
            let folder = try TemporaryDirectory()
            try folder.write(certificate.pem, to: "root.pem")
            let arguments = ["-attime", "\(TestPKI.now / 1000)", "-auth_level", "0", "-check_ss_sig"]
            let path = folder.path(of: "root.pem")
            let run = try ProgramRun.run("openssl", ["verify"] + arguments + ["-CAfile", path, path])
            #expect(run.status == 0, "\(digest): \(run.errors)")
        }
    }

    @Test("a version 1 certificate has no extensions, and dates before 1950 and after 2049 are kept")
    func versionAndDates() throws {
        let text = try print(
            CertificateAuthority.issue(
                TestPKI.recipes.leaf.with {
                    $0.version = 1
                    $0.notBeforeMilliseconds = -1_000_000_000_000
                    $0.notAfterMilliseconds = 4_000_000_000_000
                }
            )
        )
        #expect(text.contains("Version: 1 (0x0)"))
        #expect(!text.contains("X509v3"))
        #expect(text.contains("Not Before: Apr 24 22:13:20 1938 GMT"))
        #expect(text.contains("Not After : Oct  2 07:06:40 2096 GMT"))
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

    private func print(_ certificate: IssuedCertificate) throws -> String {
        let run = try ProgramRun.run(
            "openssl", ["x509", "-noout", "-text"], input: Array(certificate.pem.utf8))
        #expect(run.status == 0, "\(run.errors)")
        return run.output
    }
}
