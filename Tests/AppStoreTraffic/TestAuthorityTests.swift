import AppStoreTraffic
import Cryptography
import SignedPayloads
import Support
import System
import Testing

@Suite("The test authority")
struct TestAuthorityTests {
    @Test("is written, read back, and signs payloads that verify under its root")
    func roundTrip() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "authority")
        try TestAuthority.create(in: path, nowMilliseconds: TestPKI.now)
        let authority = try TestAuthority(directory: path)
        let jws = try authority.requestBuilder.compact(SignedBody.payload().json)
        let verifier = try SignedPayloadVerifier(
            policy: VerificationPolicy(anchors: [authority.root], apps: [])
        )
        let verified = try verifier.verifyAny(compact: jws.span, atMilliseconds: TestPKI.now)
        #expect(verified.anchor == authority.root.fingerprint)
        for certificate in [authority.root, authority.intermediate, authority.leaf] {
            #expect(certificate.notBeforeMilliseconds == TestPKI.now - 730 * 86_400_000)
        }
    }

    @Test("makes key files that only their owner can read")
    func permissions() throws {
        let folder = try TemporaryDirectory()
        try TestAuthority.create(in: folder.path, nowMilliseconds: TestPKI.now)
        for file in TestAuthority.File.allCases {
            let status = try FileStatus(path: TestAuthority.path(file, folder.path))
            #expect(status.permissions == (file.rawValue.hasSuffix(".key") ? 0o600 : 0o644), "\(file)")
        }
    }

    @Test("is never overwritten, not even when only one of its files exists")
    func existing() throws {
        let folder = try TemporaryDirectory()
        try folder.write("mine", to: "tls-server.key")
        let error = #expect(throws: AppStoreTrafficError.self) {
            try TestAuthority.create(in: folder.path, nowMilliseconds: TestPKI.now)
        }
        #expect(error?.code == "app-store-traffic.authority-exists")
        #expect(try folder.read("tls-server.key") == Array("mine".utf8))
        #expect((try? FileStatus(path: folder.path(of: "root.pem"))) == nil)
    }

    @Test(
        "names the file that is missing or damaged",
        arguments: [
            ("root.pem", "", "app-store-traffic.content"), ("leaf.key", "junk", "app-store-traffic.content"),
            ("leaf.pem", nil, "app-store-traffic.file"), ("leaf.key", nil, "app-store-traffic.file"),
        ] as [(String, String?, String)]
    )
    func damaged(file: String, content: String?, code: String) throws {
        let folder = try TemporaryDirectory()
        try TestAuthority.create(in: folder.path, nowMilliseconds: TestPKI.now)
        try Directory.removeFile(path: folder.path(of: file))
        if let content { try folder.write(content, to: file) }
        let error = #expect(throws: AppStoreTrafficError.self) { try TestAuthority(directory: folder.path) }
        #expect(error?.code == code)
        #expect(error?.description.contains(file) == true)
    }
}
