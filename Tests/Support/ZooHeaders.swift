internal import AppStoreSimulator
internal import CertificateAuthority
internal import Cryptography

extension Zoo {
    package static let header: [ZooRow] = [
        raw("a header that is not JSON", 400, "jws-header-not-json", "hello"),
        raw("a header that is cut off", 400, "jws-header-not-json", #"{"alg":"ES256""#),
        raw("a header that is an array", 400, "jws-header-not-json", #"["ES256"]"#),
        raw("a header that is null", 400, "jws-header-not-json", "null"),
        raw("bytes after the header's object", 400, "jws-header-not-json", #"{"alg":"ES256"} x"#),
        changed("alg twice", 400, "jws-header-not-json") { $0.adding("alg", "\"ES256\"") },
        changed("x5c twice", 400, "jws-header-not-json") { $0.adding("x5c", "[]") },
        changed("an unknown name twice", 400, "jws-header-not-json") { $0.adding("a", "1").adding("a", "1") },
        changed("nesting beyond the limit", 400, "jws-header-not-json") {
            $0.adding("a", String(repeating: "[", count: 40) + String(repeating: "]", count: 40))
        },
        changed("alg missing", 400, "jws-alg-missing") { $0.removing("alg") },
        changed("alg null", 400, "jws-alg-missing") { $0.setting("alg", "null") },
        changed("alg a number", 400, "jws-alg-missing") { $0.setting("alg", "256") },
        changed("alg an array", 400, "jws-alg-missing") { $0.setting("alg", "[\"ES256\"]") },
        changed("alg in capitals", 400, "jws-alg-missing") { $0.removing("alg").adding("ALG", "\"ES256\"") },
        changed("alg none", 401, "jws-alg-not-es256") { $0.setting("alg", "\"none\"") },
        changed("alg nOnE", 401, "jws-alg-not-es256") { $0.setting("alg", "\"nOnE\"") },
        changed("alg empty", 401, "jws-alg-not-es256") { $0.setting("alg", "\"\"") },
        changed("alg HS256", 401, "jws-alg-not-es256") { $0.setting("alg", "\"HS256\"") },
        changed("alg RS256", 401, "jws-alg-not-es256") { $0.setting("alg", "\"RS256\"") },
        changed("alg ES384", 401, "jws-alg-not-es256") { $0.setting("alg", "\"ES384\"") },
        changed("alg ES256K", 401, "jws-alg-not-es256") { $0.setting("alg", "\"ES256K\"") },
        changed("alg in small letters", 401, "jws-alg-not-es256") { $0.setting("alg", "\"es256\"") },
        changed("alg with a space", 401, "jws-alg-not-es256") { $0.setting("alg", "\"ES256 \"") },
        changed("crit with a name", 401, "jws-crit-not-understood") { $0.adding("crit", "[\"exp\"]") },
        changed("crit empty", 401, "jws-crit-not-understood") { $0.adding("crit", "[]") },
        changed("crit null", 401, "jws-crit-not-understood") { $0.adding("crit", "null") },
        changed("crit before everything else", 401, "jws-crit-not-understood") {
            $0.removing("alg").removing("x5c").adding("crit", "[\"b64\"]")
        },
        changed("b64 false, declared critical", 401, "jws-crit-not-understood") {
            $0.adding("b64", "false").adding("crit", "[\"b64\"]")
        },
        // RFC 7797 section 6: b64 takes effect only together with crit. A header with b64 alone is meant to be misread.
        changed("b64 false, not declared", 401, "jws-crit-not-understood") { $0.adding("b64", "false") },
        changed("b64 a number, not declared", 401, "jws-crit-not-understood") { $0.adding("b64", "0") },
        ZooRow(accepted: "members that the service does not know") { forge in
            try forge.body(header: forge.trusted.header.adding("kid", "\"x\"").adding("typ", "\"JWT\""))
        },
        ZooRow(accepted: "a header in another order and with spaces") { forge in
            let header = forge.trusted.header
            let text = "{ \"x5c\" : \(header.members[1].json), \"alg\" :\n\"ES\\u003256\" }"
            return try forge.body(rawHeader: Array(text.utf8))
        },
    ]

    package static let certificates: [ZooRow] = [
        changed("x5c missing", 400, "jws-x5c-missing") { $0.removing("x5c") },
        changed("x5c misspelt", 400, "jws-x5c-missing") { $0.removing("x5c").adding("x5cwrong", "[]") },
        changed("x5c null", 400, "jws-x5c-missing") { $0.setting("x5c", "null") },
        changed("x5c a string", 400, "jws-x5c-missing") { $0.setting("x5c", "\"MIIB\"") },
        changed("x5c an object", 400, "jws-x5c-missing") { $0.setting("x5c", "{}") },
        changed("x5c with a number", 400, "jws-x5c-missing") { $0.setting("x5c", "[1,2,3]") },
        changed("x5c with null", 400, "jws-x5c-missing") { $0.setting("x5c", "[null,null,null]") },
        changed("x5c with arrays as entries", 400, "jws-x5c-missing") {
            $0.setting("x5c", "[[\"MIIB\"],[\"MIIB\"],[\"MIIB\"]]")
        },
        entries("x5c empty", 401, "x5c-count-not-3") { _ in [] },
        entries("only the leaf", 401, "x5c-count-not-3") { Array($0.prefix(1)) },
        entries("no root", 401, "x5c-count-not-3") { Array($0.prefix(2)) },
        entries("the root twice", 401, "x5c-count-not-3") { $0 + $0.suffix(1) },
        entries("a hundred certificates", 401, "x5c-count-not-3") { _ in
            [String](repeating: "MAA=", count: 100)
        },
        entries("x5c in base64url", 400, "x5c-not-base64") { ["-_" + $0[0].dropFirst(2), $0[1], $0[2]] },
        entries("x5c without padding", 400, "x5c-not-base64") { _ in ["MAA", "MAA", "MAA"] },
        entries("x5c with a space", 400, "x5c-not-base64") { [$0[0], " " + $0[1], $0[2]] },
        entries("x5c with escaped line feeds", 400, "x5c-not-base64") { [$0[0], $0[1], $0[2] + #"\n"#] },
        entries("PEM in x5c", 400, "x5c-not-base64") {
            ["-----BEGIN CERTIFICATE-----" + $0[0], $0[1], $0[2]]
        },
        entries("x5c[2] not base64", 400, "x5c-not-base64") { [$0[0], $0[1], "garbage!"] },
        entries("an empty entry", 401, "x5c-not-der") { ["", $0[1], $0[2]] },
        entries("an entry that is not DER", 401, "x5c-not-der") { ["aGVsbG8=", $0[1], $0[2]] },
        entries("x5c[2] garbage in base64", 401, "x5c-not-der") { [$0[0], $0[1], "Z2FyYmFnZSBnYXJiYWdl"] },
        entries("a leaf that is an empty sequence", 401, "x5c-not-der") { ["MAA=", $0[1], $0[2]] },
        entries("an intermediate that is a sequence of one integer", 401, "x5c-not-der") {
            [$0[0], "MAMCAQA=", $0[2]]
        },
        bytes("a byte after the leaf", 0) { $0 + [0] },
        bytes("a byte after the intermediate", 1) { $0 + [0] },
        bytes("a byte after the root", 2) { $0 + [0] },
        bytes("a leaf that is cut off", 0) { Array($0.dropLast()) },
        bytes("a leaf whose length is not in the shortest form", 0) {
            [0x30, 0x83, 0x00, $0[2], $0[3]] + $0.dropFirst(4)
        },
        bytes("a leaf of indefinite length", 0) { [0x30, 0x80] + $0.dropFirst(4) + [0, 0] },
        bytes("a leaf of ten kilobytes", 0) { _ in
            [0x30, 0x82, 0x27, 0x10] + [UInt8](repeating: 0, count: 10_000)
        },
        bytes("a root with one flipped bit", 2, "anchor-unknown") {
            Array($0.dropLast()) + [$0[$0.count - 1] ^ 1]
        },
        entries("the right root in the wrong place", 401, "anchor-unknown") { [$0[2], $0[0], $0[1]] },
        entries("leaf, root, intermediate", 401, "anchor-unknown") { [$0[0], $0[2], $0[1]] },
        ZooRow("a complete chain under an untrusted root", 401, "anchor-unknown") { forge in
            try forge.foreign.body(forge.payload)
        },
        ZooRow("a real Apple chain whose root is not an anchor here", 401, "anchor-unknown") { forge in
            let chain = try [AppleCertificates.leaf2025, .intermediateG6, .rootG3].map {
                try $0.certificate().der
            }
            return try forge.body(x5c: chain.map { String(decoding: Base64.encode($0.span), as: UTF8.self) })
        },
        ZooRow("an unsigned payload from Xcode", 401, "x5c-count-not-3") { forge in
            let header = TestSigner.header(x5c: [forge.foreign.chain.leaf.base64]).adding(
                "kid", "\"Apple_Xcode_Key\"")
            let payload = forge.payload.setting("environment", "\"Xcode\"")
            return TestSigner.body(try forge.foreign.token(payload.text, header: header))
        },
    ]

    private static func raw(_ name: String, _ status: Int, _ code: String, _ header: String) -> ZooRow {
        ZooRow(name, status, code) { try $0.body(rawHeader: Array(header.utf8)) }
    }

    private static func changed(
        _ name: String, _ status: Int, _ code: String,
        _ change: @escaping @Sendable (TestObject) -> TestObject
    ) -> ZooRow {
        ZooRow(name, status, code) { try $0.body(header: change($0.trusted.header)) }
    }

    private static func entries(
        _ name: String, _ status: Int, _ code: String, _ change: @escaping @Sendable ([String]) -> [String]
    ) -> ZooRow {
        ZooRow(name, status, code) { try $0.body(x5c: change($0.trusted.chain.x5c)) }
    }

    private static func bytes(
        _ name: String, _ index: Int, _ code: String = "x5c-not-der",
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> ZooRow {
        ZooRow(name, 401, code) { forge in
            let chain = forge.trusted.chain
            let der = change([chain.leaf.der, chain.intermediate.der, chain.root.der][index])
            var entries = chain.x5c
            entries[index] = String(decoding: Base64.encode(der.span), as: UTF8.self)
            return try forge.body(x5c: entries)
        }
    }
}
