import AppStoreServerAPI
import Cryptography
import Support
import System
import Testing

@Suite("A request to Apple's server")
struct RequestTests {
    @Test("has exactly the method, path, fields and body that Apple documents", arguments: OperationCall.all)
    func requests(call: OperationCall) throws {
        let world = try ClientWorld { _, _ in ClientWorld.json(call.answer) }
        try call.run(world.client)
        #expect(world.calls == [call.request])
        let request = try #require(world.received.first)
        let isMessaging = AppStoreServerOperation.retentionMessaging.contains(call.operation)
        #expect(request.path.hasPrefix("/inApps/v1/messaging/") == isMessaging)
        #expect(request.headers["accept"] == "application/json")
        #expect(request.headers["content-type"] == call.contentType)
        #expect(request.headers["user-agent"] == "retentionctl/\(ProductVersion.text)")
        #expect(String(decoding: request.body, as: UTF8.self) == call.body)
        let hasLength = !call.body.isEmpty || request.method == "POST"
        #expect(request.headers["content-length"] == (hasLength ? "\(call.body.utf8.count)" : nil))
        let names = Set(request.headers.keys)
        let known: Set = ["host", "accept", "authorization", "user-agent", "content-type", "content-length"]
        #expect(names.isSubset(of: known), "\(names)")
    }

    @Test("has a token of its own, which the public key verifies, with Apple's claims for five minutes")
    func tokens() throws {
        let world = try ClientWorld { _, _ in ClientWorld.json(#"{"messageIdentifiers":[]}"#) }
        _ = try world.client.listMessages()
        world.clock.now += 61_999
        _ = try world.client.listMessages()
        let tokens = try world.received.map { request in
            let field = try #require(request.headers["authorization"])
            #expect(field.hasPrefix("Bearer "))
            return String(field.dropFirst("Bearer ".count))
        }
        #expect(Set(tokens).count == 2)
        for (index, token) in tokens.enumerated() {
            let parts = token.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
            try #require(parts.count == 3)
            let header = Self.decoded(parts[0])
            #expect(
                String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#
            )
            let seconds = ClientWorld.start / 1000 + (index == 0 ? 0 : 61)
            let claims =
                #"{"iss":"57246542-96fe-1a63-e053-0824d011072a","iat":\#(seconds),"exp":\#(seconds + 300),"#
                + #""aud":"appstoreconnect-v1","bid":"com.example.app"}"#
            let payload = Self.decoded(parts[1])
            #expect(payload == Array(claims.utf8))
            let signature = Self.decoded(parts[2])
            let input = parts[0] + [UInt8(ascii: ".")] + parts[1]
            let verifier = try ES256Verifier(keyOf: world.key)
            let isValid = verifier.isValid(signature: signature.span, for: input.span)
            #expect(isValid)
        }
    }

    private static func decoded(_ text: [UInt8]) -> [UInt8] { Base64URL.decode(text.span) ?? [] }

    @Test("has all members of a message, and none that has no value")
    func message() throws {
        let identifier = ClientWorld.identifier
        let message = UploadMessageRequestBody(
            header: "h", body: "b", image: .init(imageIdentifier: identifier, altText: "a"),
            headerPosition: .aboveImage,
            bulletPoints: [.init(text: "t", imageIdentifier: identifier, altText: "x")])
        let text =
            #"{"body":"b","bulletPoints":[{"altText":"x","imageIdentifier":"\#(identifier)","text":"t"}],"#
            + #""header":"h","headerPosition":"ABOVE_IMAGE","image":{"altText":"a","imageIdentifier":"\#(identifier)"}}"#
        #expect(String(decoding: AppleJSON.encode(message), as: UTF8.self) == text)
        let plain = UploadMessageRequestBody(header: "h", body: "b")
        #expect(String(decoding: AppleJSON.encode(plain), as: UTF8.self) == #"{"body":"b","header":"h"}"#)
    }

    @Test(
        "is not sent when it cannot be right",
        arguments: [
            ("", "en-US", "apple.bad-request"),
            ("p", "", "apple.bad-request"),
            ("..", "en-US", "apple.bad-request"),
            ("p", ".", "apple.bad-request"),
        ]
    )
    func segments(product: String, locale: String, code: String) throws {
        let world = try ClientWorld { _, _ in .close }
        #expect(world.code { _ = try $0.defaultMessage(productId: product, locale: locale) } == code)
        for text in ["", ".", ".."] {
            #expect(world.code { _ = try $0.testNotificationStatus(token: text) } == code)
            #expect(world.code { _ = try $0.subscriptionStatuses(of: text) } == code)
            #expect(world.code { _ = try $0.transactionHistory(of: text, revision: nil) } == code)
            let upload = [("messageIdentifier", text + "x")]
            #expect(world.code { _ = try $0.perform(.uploadMessage, upload, body: []) } == code)
        }
        #expect(world.received.isEmpty)
    }

    @Test("is not sent to Production for what only Sandbox has")
    func sandboxOnly() throws {
        let world = try ClientWorld(environment: .production) { _, _ in .close }
        let code = "apple.bad-request"
        #expect(world.code { _ = try $0.perform(.startTest, [], body: nil) } == code)
        #expect(world.code { _ = try $0.perform(.getTestResult, [("requestId", "1")], body: nil) } == code)
        #expect(world.received.isEmpty)
    }

    @Test(
        "goes to Apple's server of the environment, or to the given one",
        arguments: [
            (nil, "https://api.storekit-sandbox.apple.com"), ("https://Example.com", "https://example.com"),
            ("https://example.com:8443/", "https://example.com:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://[::1]:80", "http://[::1]:80"),
            ("HTTP://LOCALHOST", "http://localhost"),
        ] as [(String?, String)]
    )
    func servers(given: String?, address: String) throws {
        #expect(try AppStoreServer(environment: .sandbox, baseURL: given).baseURL == address)
    }

    @Test(
        "goes nowhere else",
        arguments: [
            "", "example.com", "http://example.com", "http://127.0.0.1.example.com", "ftp://127.0.0.1",
            "https://", "https:///", "https://a@b", "https://a/b", "https://a?b", "https://a#b", "https://a:",
            "https://a:0", "https://a:65536", "https://a:+1", "https://a b", "https://a\n", "https://%61",
            "http://127.0.0.1@example.com", "https://a//",
            "https://\(String(repeating: "a", count: 261))",
        ]
    )
    func badServers(address: String) {
        let error = #expect(throws: AppStoreServerAPIError.self) {
            try AppStoreServer(environment: .sandbox, baseURL: address)
        }
        #expect(error?.code == "apple.bad-request")
    }

    @Test("goes to Production and Sandbox alone")
    func environments() throws {
        let production = try AppStoreServer(environment: .production)
        #expect(production.baseURL == "https://api.storekit.apple.com")
        for environment in [Environment.xcode, .localTesting] {
            let error = #expect(throws: AppStoreServerAPIError.self) {
                try AppStoreServer(environment: environment)
            }
            #expect(error?.code == "apple.bad-request")
        }
    }
}
