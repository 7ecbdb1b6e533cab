import JSON
import Support
import Testing

@Suite("retentionctl verify")
struct VerifyTests {
    @Test("shows the payload and the chain that a test authority signed, from a file or standard input")
    func verified() throws {
        let tool = try Tool()
        for form in [[], ["--jws"]] {
            let signed = try tool.signed(form)
            try tool.folder.write(signed, to: "signed")
            let root = ["--anchors", tool.authority + "/root.pem"]
            for run in [
                try Tool.run(["verify", tool.folder.path(of: "signed")] + root),
                try Tool.run(["verify"] + root, input: Array(("\n " + signed + "\r\n").utf8)),
            ] {
                #expect(run.status == 0)
                #expect(run.output.hasPrefix("verified at "))
                #expect(run.output.contains(#/\n    productId +com\.example\.product\n/#))
                #expect(run.output.contains(#/\n +key +P-384\n/#), "\(run.output)")
                #expect(!run.output.contains("unverified"))
            }
        }
    }

    /// The options of the request, the options of `verify`, the code of the refusal and its step.
    static let refusals: [(sign: [String], verify: [String], code: String, step: String)] = [
        ([], ["--app", "1"], "app-unknown", "identity"),
        (
            ["--environment", "Sandbox"], ["--environment", "Production"], "environment-not-configured",
            "identity"
        ),
        (["--environment", "Xcode"], [], "environment-not-configured", "identity"),
        (["--environment", "Xcode"], ["--environment", "Xcode"], "environment-not-configured", "identity"),
        (["--set", "productId"], ["--app", "531412"], "payload-member-missing", "payload"),
        (["--set", "appAppleId=\"531412\""], [], "payload-member-mistyped", "payload"),
        (["--set", "requestIdentifier=\"x\""], [], "request-identifier-not-uuid", "payload"),
        ([], ["--at", "2001-01-01T00:00:00Z"], "certificate-not-yet-valid", "validity"),
        ([], ["--at", "2101-01-01T00:00:00Z"], "certificate-expired", "validity"),
        (
            ["--signed-date", "2020-01-01T00:00:00Z"], ["--max-age", "300"], "signed-date-too-old",
            "freshness"
        ),
        (["--signed-date", "2030-01-01T00:00:00Z"], [], "signed-date-ahead", "freshness"),
    ]

    @Test("names the code and the step of a refusal", arguments: refusals.indices)
    func refused(index: Int) throws {
        let row = Self.refusals[index]
        let tool = try Tool()
        let signed = try tool.signed(row.sign)
        let common = ["--anchors", tool.authority + "/root.pem", "--json"]
        let run = try Tool.run(["verify"] + row.verify + common, input: Array(signed.utf8))
        #expect(run.status == 1, "\(run.errors)")
        let root = try Tool.document(run).root
        #expect(root.member("verified")?.boolean == false)
        #expect(root.member("refusal")?.member("code")?.string == row.code)
        #expect(root.member("refusal")?.member("step")?.string == row.step)
        #expect(root.member("payload") == nil)
        #expect(root.member("presentedChain")?.count == 3)
    }

    @Test("accepts a --max-age of one second or more", arguments: [("0", 64), ("-1", 64), ("1", 1)])
    func ages(age: String, status: Int32) throws {
        let tool = try Tool()
        let signed = try tool.signed(["--signed-date", "2020-01-01T00:00:00Z"])
        let options = ["--anchors", tool.authority + "/root.pem", "--max-age=\(age)"]
        let run = try Tool.run(["verify"] + options, input: Array(signed.utf8))
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains("--max-age must be at least 1.") == (status == 64))
        #expect(run.output.contains("signed-date-too-old") == (status == 1))
    }

    @Test("refuses a test authority's payload under Apple's roots, and still shows it")
    func apple() throws {
        let tool = try Tool()
        let signed = try tool.signed()
        let run = try Tool.run(["verify"], input: Array(signed.utf8))
        #expect(run.status == 1)
        #expect(run.output.contains(": anchor-unknown, step 5 of 12\n"))
        #expect(run.output.contains("\n  unverifiedPayload\n"))
    }

    @Test(
        "refuses any bad input with a code",
        arguments: [
            ("", "jws-not-three-parts"), ("{}", "signed-payload-missing"), ("{", "body-not-json"),
            ("{\"signedPayload\":1}", "signed-payload-missing"), ("a.b", "jws-not-three-parts"),
            ("a.b.c", "jws-bad-base64url"), ("e30.e30.AAAA", "jws-alg-missing"),
            ("\u{0}", "jws-not-three-parts"),
            (".....", "jws-not-three-parts"),
        ]
    )
    func badInput(input: String, code: String) throws {
        let run = try Tool.run(["verify", "--json"], input: Array(input.utf8))
        #expect(run.status == 1)
        #expect(try Tool.document(run).root.member("refusal")?.member("code")?.string == code)
    }

    @Test("refuses a certificate as an anchor that is not a self-signed authority")
    func unfitAnchor() throws {
        let tool = try Tool()
        let signed = try tool.signed()
        for name in ["leaf", "intermediate"] {
            let path = tool.authority + "/\(name).pem"
            let run = try Tool.run(["verify", "--anchors", path], input: Array(signed.utf8))
            #expect(run.status == 65, "\(run.output)")
            let code = name == "leaf" ? "anchor-not-authority" : "anchor-not-self-signed"
            #expect(run.errors.hasPrefix("\(path): error: \(code): "), "\(run.errors)")
        }
    }

    @Test("uses the payload's own date when --at signed-date is given")
    func signedDate() throws {
        let tool = try Tool()
        let old = ["--signed-date", "2020-01-01T00:00:00Z"]
        let signed = try tool.signed(old)
        let root = ["--anchors", tool.authority + "/root.pem"]
        func firstLine(_ more: [String]) throws -> String {
            let run = try Tool.run(["verify"] + root + more, input: Array(signed.utf8))
            return String(run.output.prefix { $0 != "\n" })
        }
        for type in ["any", "retention-message"] {
            let own = try firstLine(["--type", type, "--at", "signed-date"])
            #expect(own == "refused at 2020-01-01T00:00:00Z: certificate-not-yet-valid, step 10 of 12")
            #expect(try firstLine(["--type", type]).hasPrefix("verified at "))
        }
    }
}
