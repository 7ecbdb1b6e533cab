import AppStoreServerAPI
import Cryptography
import FuzzBodies
import Support
import Testing
import Vocabulary

@Suite("An answer of Apple's server", .timeLimit(.minutes(5)))
struct AnswerTests {
    @Test("that refuses is an error with Apple's code", arguments: AppStoreServerAPIErrorCode.allCases)
    func refusals(code: AppStoreServerAPIErrorCode) throws {
        let world = try ClientWorld { _, _ in ClientWorld.refusal(code.rawValue) }
        // Codes that mean "not found" are no errors of the two operations that look for such a thing.
        let found = world.code { _ = try $0.listMessages() }
        #expect(found == (code == .rateLimitExceeded ? "apple.rate-limited" : code.code))
    }

    private static let id = ClientWorld.identifier.description
    /// A state or a size that is longer than any word.
    private static let long = String(repeating: "X", count: 65)
    private static let page = "<!DOCTYPE html><title>Sign in</title>"

    @Test(
        "that is not what Apple documents is an error with a code of its own",
        arguments: [
            (.listMessages, "", "app-store-answer.truncated"),
            (.listMessages, " ", "app-store-answer.truncated"),
            (.listMessages, "{", "app-store-answer.truncated"),
            (.listMessages, #"{"messageIdentifiers":[{"messageIden"#, "app-store-answer.truncated"),
            (.listMessages, "{}", "app-store-answer.member-missing"),
            (.listMessages, #"{"messageIdentifiers":null}"#, "app-store-answer.member-missing"),
            (.listMessages, "[]", "app-store-answer.wrong-type"),
            (.listMessages, "1", "app-store-answer.wrong-type"),
            (.listMessages, #"{"messageIdentifiers":{}}"#, "app-store-answer.wrong-type"),
            (.listMessages, #"{"messageIdentifiers":[1]}"#, "app-store-answer.wrong-type"),
            (.listMessages, #"{"messageIdentifiers":[{}]}"#, "app-store-answer.member-missing"),
            (
                .listMessages, #"{"messageIdentifiers":[{"messageIdentifier":1,"messageState":"PENDING"}]}"#,
                "app-store-answer.wrong-type"
            ),
            (
                .listMessages,
                #"{"messageIdentifiers":[{"messageIdentifier":"x","messageState":"PENDING"}]}"#,
                "app-store-answer.not-uuid"
            ),
            (
                .listMessages, #"{"messageIdentifiers":[{"messageIdentifier":"\#(id)","messageState":7}]}"#,
                "app-store-answer.wrong-type"
            ),
            (
                .listImages,
                #"{"imageIdentifiers":[{"imageIdentifier":"\#(id)","imageState":"PENDING","imageSize":[]}]}"#,
                "app-store-answer.wrong-type"
            ),
            (
                .listMessages,
                #"{"messageIdentifiers":[{"messageIdentifier":"\#(id)","messageState":"\#(long)"}]}"#,
                "app-store-answer.wrong-type"
            ),
            (
                .listImages, #"{"imageIdentifiers":[{"imageIdentifier":"\#(id)","imageState":"\#(long)"}]}"#,
                "app-store-answer.wrong-type"
            ),
            (
                .listImages,
                #"{"imageIdentifiers":[{"imageIdentifier":"\#(id)","imageState":"NEW","imageSize":"\#(long)"}]}"#,
                "app-store-answer.wrong-type"
            ),
            (.getTestResult, #"{"result":"\#(long)"}"#, "app-store-answer.wrong-type"),
            (
                .listMessages, #"{"messageIdentifiers":[],"messageIdentifiers":[]}"#,
                "app-store-answer.duplicate-key"
            ),
            (.listMessages, #"{"messageIdentifiers":[]}x"#, "app-store-answer.not-json"),
            (.listMessages, #"{"messageIdentifiers":["\#u{1}"]}"#, "app-store-answer.not-json"),
            (.listMessages, #"{'messageIdentifiers':[]}"#, "app-store-answer.not-json"),
            (.listMessages, #"{"messageIdentifiers":[],"x":"\u0000"}"#, "app-store-answer.not-json"),
            (.listMessages, "\u{FEFF}{}", "app-store-answer.not-json"),
            (.listMessages, String(repeating: "[", count: 100), "app-store-answer.not-json"),
            (.listMessages, page, "app-store-answer.html"),
            (.uploadMessage, page, "app-store-server-api.outcome-unknown"),
            (.setDefault, page, "app-store-answer.html"),
            (.getDefault, #"{"messageIdentifier":true}"#, "app-store-answer.wrong-type"),
            (.getURL, #"{"realtimeURL":5}"#, "app-store-answer.wrong-type"),
            (.startTest, #"{"requestId":"x"}"#, "app-store-server-api.outcome-unknown"),
            (.getTestResult, #"{"result":"PASS","successRate":99.5}"#, "app-store-answer.wrong-type"),
            (
                .getTestResult, #"{"result":"PASS","successRate":99999999999999999999}"#,
                "app-store-answer.not-json"
            ),
            (.getTestResult, #"{"result":"PASS","failures":{"OTHER":"1"}}"#, "app-store-answer.wrong-type"),
            (.getTestResult, #"{"result":"PASS","config":{}}"#, "app-store-answer.member-missing"),
            (
                .getTestResult, #"{"result":"PASS","responseTimes":{"average":1}}"#,
                "app-store-answer.member-missing"
            ),
            (.notificationHistory, #"{"hasMore":false}"#, "app-store-answer.member-missing"),
            (.notificationHistory, #"{"notificationHistory":[]}"#, "app-store-answer.member-missing"),
            (.notificationHistory, #"{"notificationHistory":[],"hasMore":1}"#, "app-store-answer.wrong-type"),
            (
                .notificationHistory, #"{"notificationHistory":[],"hasMore":true}"#,
                "app-store-answer.member-missing"
            ),
            (
                .notificationHistory, #"{"notificationHistory":[],"hasMore":true,"paginationToken":""}"#,
                "app-store-answer.wrong-type"
            ),
            (
                .notificationHistory, #"{"notificationHistory":[{"sendAttempts":[]}],"hasMore":false}"#,
                "app-store-answer.member-missing"
            ),
            (
                .notificationHistory, #"{"notificationHistory":[{"signedPayload":7}],"hasMore":false}"#,
                "app-store-answer.wrong-type"
            ),
            (.requestTestNotification, "{}", "app-store-server-api.outcome-unknown"),
            (.testNotificationStatus, "{}", "app-store-answer.member-missing"),
            (.subscriptionStatuses, #"{"data":[{}]}"#, "app-store-answer.member-missing"),
            (
                .subscriptionStatuses,
                #"{"data":[{"subscriptionGroupIdentifier":"g","lastTransactions":[{"status":"1"}]}]}"#,
                "app-store-answer.wrong-type"
            ),
            (.transactionHistory, #"{"hasMore":true}"#, "app-store-answer.member-missing"),
            (
                .transactionHistory,
                #"{"hasMore":false,"environment":"Sandbox","bundleId":"b","signedTransactions":[1]}"#,
                "app-store-answer.wrong-type"
            ),
            (
                .transactionHistory,
                #"{"hasMore":false,"environment":"\#(long)","bundleId":"b","signedTransactions":[]}"#,
                "app-store-answer.wrong-type"
            ),
            (.transactionInfo, #"{"signedTransactionInfo":7}"#, "app-store-answer.wrong-type"),
        ] as [(AppStoreServerOperation, String, String)]
    )
    func malformed(operation: AppStoreServerOperation, body: String, code: String) throws {
        let world = try ClientWorld { _, _ in ClientWorld.json(body) }
        #expect(world.code { try OperationCall.of(operation).run($0) } == code)
    }

    @Test("that is not an object is called the answer, and a member of it by its path")
    func words() throws {
        for (body, text) in [
            ("[]", "the answer is not an object"),
            (#"{"messageIdentifiers":7}"#, "messageIdentifiers in the answer is not an array"),
        ] {
            let world = try ClientWorld { _, _ in ClientWorld.json(body) }
            let error = #expect(throws: AppStoreServerAPIError.self) { try world.client.listMessages() }
            #expect(error?.description == text)
        }
    }

    @Test("may lack what Apple's libraries do without, and may have members that nobody knows")
    func lenient() throws {
        let images =
            #"{"imageIdentifiers":[{"imageIdentifier":"\#(Self.id)","imageState":"NEW","imageSize":"TINY"},"#
        let more =
            #"{"imageIdentifier":"\#(Self.id.uppercased())","imageState":"PENDING","x":{}}],"more":null}"#
        let world = try ClientWorld { _, request in
            ClientWorld.json(request.path.contains("image") ? images + more : #"{"result":"PENDING"}"#)
        }
        let list = try world.client.listImages()
        #expect(list.map(\.imageIdentifier) == [ClientWorld.identifier, ClientWorld.identifier])
        #expect(list.map(\.imageState) == [.other("NEW"), .pending])
        #expect(list.map(\.imageSize) == ["TINY", nil] && list.allSatisfy { $0.size == nil })
        #expect(try world.client.performanceTestResult(requestId: "1").result == .pending)
    }

    @Test(
        "is not an error when it says that nothing is set, and is a success for any status of success",
        arguments: [200, 201, 202, 204]
    )
    func nothing(status: Int) throws {
        let world = try ClientWorld { _, request in
            guard request.method == "GET" else {
                return .raw(Array("HTTP/1.1 \(status) Done\r\nContent-Length: 0\r\n\r\n".utf8))
            }
            return ClientWorld.refusal(request.path.hasSuffix("/url") ? 4_040_021 : 4_040_020)
        }
        #expect(try world.client.realtimeURL() == nil)
        #expect(try world.client.defaultMessage(productId: "p", locale: "l") == nil)
        try world.client.deleteRealtimeURL()
        #expect(try world.client.deleteMessage(ClientWorld.identifier) == .confirmed)
    }

    @Test(
        "without an error object says what its status says",
        arguments: [
            (.setURL, 404, "", "apple.no-access"), (.deleteURL, 404, page, "apple.no-access"),
            (.startTest, 404, "", "apple.no-access"), (.getURL, 404, "", "apple.other-error"),
            (.listMessages, 404, "{}", "apple.other-error"), (.listMessages, 400, page, "apple.other-error"),
            (.listMessages, 403, #"{"errorCode":"x"}"#, "apple.other-error"),
            (.listMessages, 418, #"{"errorCode":4189999,"errorMessage":"?"}"#, "apple.other-error"),
            (.listMessages, 401, "", "apple.unauthorized"), (.listMessages, 401, page, "apple.unauthorized"),
            (.listMessages, 503, page, "apple.other-error"),
            (.listMessages, 301, "", "app-store-answer.redirect"),
            (.setDefault, 302, "", "app-store-answer.redirect"),
            (.uploadMessage, 307, "", "app-store-answer.redirect"),
        ] as [(AppStoreServerOperation, Int, String, String)]
    )
    func statuses(operation: AppStoreServerOperation, status: Int, body: String, code: String) throws {
        let world = try ClientWorld { number, _ in
            number > 0 && (300..<400).contains(status)
                ? .close : .respond(status: status, headers: ["Location: /other"], body: Array(body.utf8))
        }
        #expect(world.code { try OperationCall.of(operation).run($0) } == code)
        #expect(world.received.allSatisfy { $0.path != "/other" })
    }

    @Test("of any size is read to its limit, and no further")
    func sizes() throws {
        let entry = #"{"messageIdentifier":"\#(Self.id)","messageState":"APPROVED"}"#
        let list =
            #"{"messageIdentifiers":["# + Array(repeating: entry, count: 2000).joined(separator: ",") + "]}"
        let huge = list + String(repeating: " ", count: 1 << 21)
        let world = try ClientWorld { number, _ in ClientWorld.json(number == 0 ? list : huge) }
        #expect(try world.client.listMessages().count == 2000)
        #expect(world.code { _ = try $0.listMessages() } == "app-store-answer.too-large")
    }

    @Test("that is late or cut off is an error with a code, after as many attempts as are allowed")
    func slow() throws {
        let world = try ClientWorld({ $0.timeoutMilliseconds = 200 }) { _, _ in .hang }
        #expect(world.code { _ = try $0.listMessages() } == "http.timed-out")
        #expect(world.received.count == 3)
        let partial = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8)
        let other = try ClientWorld { _, _ in .raw(partial) }
        #expect(other.code { _ = try $0.listMessages() } == "app-store-answer.truncated")
        #expect(other.received.count == 3)
    }

    @Test("of 401 tells how wrong the clock is")
    func clock() throws {
        let world = try ClientWorld { _, _ in
            .respond(status: 401, headers: ["Date: Sat, 21 Nov 2026 00:05:12 GMT"])
        }
        let error = #expect(throws: AppStoreServerAPIError.self) { try world.client.listImages() }
        #expect(error?.description.contains("This machine's clock is 312 s behind the server's") == true)
    }

    @Test(
        "that repeats the token is dropped, and no error ever shows a token",
        arguments: [200, 400, 401, 500]
    )
    func secrets(status: Int) throws {
        let world = try ClientWorld { _, request in
            let token = request.headers["authorization"] ?? ""
            return ClientWorld.json(
                #"{"errorCode":4000164,"errorMessage":"\#(token)","realtimeURL":"\#(token)"}"#,
                status: status
            )
        }
        let error = #expect(throws: AppStoreServerAPIError.self) { try world.client.realtimeURL() }
        #expect(error?.code == "app-store-answer.repeats-token")
        let shown = "\(try #require(error)) \(String(reflecting: error))"
        for request in world.received {
            for part in (request.headers["authorization"] ?? "").split(separator: ".") {
                #expect(!shown.contains(part))
            }
        }
        let pem = try world.key.pem().split(separator: "\n").dropFirst()
        #expect(pem.allSatisfy { !shown.contains($0) })
    }

    @Test("of any bytes is read without a trap: the fuzzer's corpus")
    func corpus() throws {
        try FuzzCorpus.replay("AppStoreAnswer") { fuzzAppStoreAnswer($0) }
    }

    @Test("of any bytes is read without a trap: prefixes and changed bytes of good answers")
    func mutations() {
        for call in OperationCall.all where !call.answer.isEmpty {
            let seed = Array(call.answer.utf8)
            for count in seed.indices { fuzzAppStoreAnswer(seed.span.extracting(first: count)) }
            for index in seed.indices {
                for byte: UInt8 in [0, 0x22, 0x30, 0x5B, 0x5D, 0x7D, 0xFF] {
                    var changed = seed
                    changed[index] = byte
                    fuzzAppStoreAnswer(changed.span)
                }
            }
        }
    }
}
