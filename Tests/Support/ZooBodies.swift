import Testing

package struct ZooRow: Sendable, CustomTestStringConvertible {
    package let name: String
    package let status: Int
    package let code: String?
    package let body: @Sendable (ZooForge) throws -> [UInt8]

    package init(
        _ name: String, _ status: Int, _ code: String,
        _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) {
        self.name = name
        self.status = status
        self.code = code
        self.body = body
    }

    package init(accepted name: String, _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]) {
        self.name = name
        status = 200
        code = nil
        self.body = body
    }

    package var testDescription: String { name }
}

package enum Zoo {
    package static var bodies: [ZooRow] {
        json + compact + header + certificates + chain + signature + payload + identity
    }
}

extension Zoo {
    package static let json: [ZooRow] = [
        row("an empty body", "body-not-json", ""),
        row("only white space", "body-not-json", " \r\n\t"),
        row("null", "body-not-json", "null"),
        row("an array", "body-not-json", #"[{"signedPayload":"a.b.c"}]"#),
        row("a string", "body-not-json", #""a.b.c""#),
        row("a number", "body-not-json", "1"),
        row("a word", "body-not-json", "signedPayload"),
        row("form data", "body-not-json", "signedPayload=a.b.c"),
        row("an object that is cut off", "body-not-json", #"{"signedPayload":"a.b.c""#),
        row("a string that is cut off", "body-not-json", #"{"signedPayload":"a.b.c"#),
        row("an extra comma", "body-not-json", #"{"signedPayload":"a.b.c",}"#),
        row("single quotes", "body-not-json", "{'signedPayload':'a.b.c'}"),
        row("a comment", "body-not-json", #"{/**/"signedPayload":"a.b.c"}"#),
        row("a name without quotes", "body-not-json", #"{signedPayload:"a.b.c"}"#),
        row("bytes after the object", "body-not-json", #"{"signedPayload":"a.b.c"}x"#),
        row("two objects", "body-not-json", #"{"signedPayload":"a.b.c"}{}"#),
        row("signedPayload twice", "body-not-json", #"{"signedPayload":"a.b.c","signedPayload":"a.b.c"}"#),
        row("another name twice", "body-not-json", #"{"signedPayload":"a.b.c","x":1,"x":1}"#),
        row(
            "a number beyond 64 bits",
            "body-not-json",
            #"{"signedPayload":"a.b.c","x":18446744073709551616}"#
        ),
        row("a number too large for a double", "body-not-json", #"{"signedPayload":"a.b.c","x":1e400}"#),
        row("an escaped NUL", "body-not-json", #"{"signedPayload":"a.b.c\u0000"}"#),
        row("half a surrogate pair", "body-not-json", #"{"signedPayload":"a.b.c\ud800"}"#),
        row("a line feed in a string", "body-not-json", "{\"signedPayload\":\"a.b\n.c\"}"),
        row("a byte order mark", "body-not-json", "\u{FEFF}{\"signedPayload\":\"a.b.c\"}"),
        row(
            "thirty thousand nested arrays", "body-not-json",
            String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)),
        row("an empty object", "signed-payload-missing", "{}"),
        row("another member", "signed-payload-missing", #"{"payload":"a.b.c"}"#),
        row("the name with a capital S", "signed-payload-missing", #"{"SignedPayload":"a.b.c"}"#),
        row("signedPayload null", "signed-payload-missing", #"{"signedPayload":null}"#),
        row("signedPayload a number", "signed-payload-missing", #"{"signedPayload":1}"#),
        row("signedPayload true", "signed-payload-missing", #"{"signedPayload":true}"#),
        row("signedPayload an array", "signed-payload-missing", #"{"signedPayload":["a.b.c"]}"#),
        row("signedPayload an object", "signed-payload-missing", #"{"signedPayload":{"a":"b"}}"#),
        ZooRow("a byte that is not UTF-8", 400, "body-not-json") { _ in
            Array(#"{"signedPayload":"a.b.c"#.utf8) + [0xFF] + Array(#""}"#.utf8)
        },
        ZooRow("a NUL byte", 400, "body-not-json") { _ in Array(#"{"signedPayload":"a.b.c"}"#.utf8) + [0] },
        ZooRow("UTF-16", 400, "body-not-json") { _ in #"{"signedPayload":"a.b.c"}"#.utf8.flatMap { [$0, 0] }
        },
        ZooRow("sixty kilobytes of one letter", 400, "body-not-json") { _ in
            [UInt8](repeating: UInt8(ascii: "a"), count: 60_000)
        },
        ZooRow(accepted: "white space around everything") { forge in
            let token = String(decoding: try forge.trusted.token(forge.payload.text), as: UTF8.self)
            return Array("\r\n{ \"signedPayload\" :\t\"\(token)\" } \n".utf8)
        },
        ZooRow(accepted: "unknown members beside signedPayload") { forge in
            let token = String(decoding: try forge.trusted.token(forge.payload.text), as: UTF8.self)
            return Array(#"{"version":2,"signedPayload":"\#(token)","more":{"a":[null,true,1.5]}}"#.utf8)
        },
        ZooRow(accepted: "escapes in the name and in the token") { forge in
            let token = String(decoding: try forge.trusted.token(forge.payload.text), as: UTF8.self)
            return Array(#"{"signed\u0050ayload":"\u0065\#(token.dropFirst())"}"#.utf8)
        },
    ]

    package static let compact: [ZooRow] = [
        token("an empty token", "jws-not-three-parts", ""),
        token("one part", "jws-not-three-parts", "eyJh"),
        token("two parts", "jws-not-three-parts", "eyJh.eyJh"),
        token("four parts", "jws-not-three-parts", "eyJh.eyJh.eyJh.eyJh"),
        token("the five parts of an encrypted token", "jws-not-three-parts", "e30.e30.e30.e30.e30"),
        token("another separator", "jws-not-three-parts", "eyJh:eyJh:eyJh"),
        token("only two dots", "jws-header-not-json", ".."),
        token("a letter outside the base64url alphabet", "jws-bad-base64url", "e30.e30.e!30"),
        token("a letter outside ASCII", "jws-bad-base64url", "e30.e30.é30"),
        token("an escaped line feed", "jws-bad-base64url", #"e30.e30.e3\n0"#),
        token("a space", "jws-bad-base64url", "e30.e30. e30"),
        token("a length that is impossible in base64url", "jws-bad-base64url", "e30.e30.e30xx"),
        ZooRow("padding after the header", 400, "jws-bad-base64url") {
            try part(0, of: $0) { $0 + [equals] }
        },
        ZooRow("padding after the payload", 400, "jws-bad-base64url") {
            try part(1, of: $0) { $0 + [equals] }
        },
        ZooRow("padding after the signature", 400, "jws-bad-base64url") {
            try part(2, of: $0) { $0 + [equals, equals] }
        },
        ZooRow("letters of the standard base64 alphabet", 400, "jws-bad-base64url") {
            try part(2, of: $0) { [UInt8(ascii: "+"), UInt8(ascii: "/")] + $0.dropFirst(2) }
        },
        // In base64url, 64 bytes end in a group of two letters, of which four bits are unused.
        ZooRow("unused bits that are not zero", 400, "jws-bad-base64url") {
            try part(2, of: $0) { $0.dropLast() + [UInt8(ascii: "B")] }
        },
        ZooRow("a header of one letter", 400, "jws-bad-base64url") {
            try part(0, of: $0) { _ in [UInt8(ascii: "e")] }
        },
        ZooRow("no header", 400, "jws-header-not-json") { try part(0, of: $0) { _ in [] } },
        ZooRow("no payload", 401, "signature-invalid") { try part(1, of: $0) { _ in [] } },
        ZooRow("no signature", 401, "signature-not-64-bytes") { try part(2, of: $0) { _ in [] } },
    ]

    private static let equals = UInt8(ascii: "=")

    private static func row(_ name: String, _ code: String, _ body: String) -> ZooRow {
        ZooRow(name, 400, code) { _ in Array(body.utf8) }
    }

    private static func token(_ name: String, _ code: String, _ token: String) -> ZooRow {
        ZooRow(name, 400, code) { _ in TestSigner.body(Array(token.utf8)) }
    }

    private static func part(_ index: Int, of forge: ZooForge, _ change: ([UInt8]) -> [UInt8]) throws
        -> [UInt8]
    {
        var parts = try forge.parts()
        parts[index] = change(parts[index])
        return TestSigner.body(Array(parts.joined(separator: [UInt8(ascii: ".")])))
    }
}
