import Cryptography
import Support
import Testing

/// A folder with a key that was made for one test. Only its owner can read `key.p8`; everybody can read `public.pem`.
struct KeyFolder {
    let folder: TemporaryDirectory
    var key: String { folder.path(of: "key.p8") }
    var publicKey: String { folder.path(of: "public.pem") }

    /// The arguments that `sign offer` always needs.
    var signing: [String] {
        [
            "sign", "offer", "--key", key, "--key-id", "2X9R4HXF34", "--bundle-id", "com.example.app",
            "--product", "pro_monthly", "--offer", "save50_3m",
        ]
    }
    /// The further arguments that V2 needs.
    static let v2 = ["--issuer-id", "57246542-96fe-1a63-e053-0824d011072a", "--transaction", "2000000001"]
    /// A nonce and a time, so that the signed text is known.
    static let fixed = [
        "--nonce", "6584BEDF-2ed0-4c01-93ed-c0c64a1670cc", "--at", "2026-06-08T12:00:00.999Z",
    ]

    init() throws {
        folder = try TemporaryDirectory()
        let pem = try SigningKey.generate().pem()
        try folder.write(pem, to: "key.p8", permissions: 0o600)
        let run = try ProgramRun.run("openssl", ["pkey", "-pubout"], input: Array(pem.utf8))
        try folder.write(run.output, to: "public.pem")
    }

    /// Verifies a signature with a key. The run has the report in JSON.
    func verified(_ signature: String, by key: String, _ more: [String] = []) throws -> ProgramRun {
        try Tool.run(["verify-offer", "--json", "--key", key] + more, input: Array(signature.utf8))
    }
}
