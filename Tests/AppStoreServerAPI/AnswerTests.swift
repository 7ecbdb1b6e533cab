import AppStoreServerAPI
import Cryptography
import FuzzBodies
import Support
import System
import Testing

@Suite("An answer of Apple's server")
struct AnswerTests {
    @Test("that refuses is an error with Apple's code", arguments: AppStoreServerAPIErrorCode.allCases)
    func refusals(code: AppStoreServerAPIErrorCode) throws {
        let world = try ClientWorld { _, _ in ClientWorld.refusal(code.rawValue) }
        // Codes that mean "not found" are no errors of the two operations that look for such a thing.
        let found = world.code { _ = try $0.listMessages() }
        #expect(found == (code == .rateLimitExceeded ? "apple.rate-limited" : "apple.\(code.rawValue)"))
    }

    private static let id = ClientWorld.identifier.description
    private static let page = "<!DOCTYPE html><title>Sign in</title>"

    private static let malformedBodies: [(AppStoreServerOperation, [String])] = [
        (
            .listMessages,
            [
                "",
                " ",
                "{",
                #"{"messageIdentifiers":[{"messageIden"#,
                "{}",
                #"{"messageIdentifiers":null}"#,
                "[]",
                "1",
                #"{"messageIdentifiers":{}}"#,
                #"{"messageIdentifiers":[1]}"#,
                #"{"messageIdentifiers":[{}]}"#,
                #"{"messageIdentifiers":[{"messageIdentifier":1,"messageState":"PENDING"}]}"#,
                #"{"messageIdentifiers":[{"messageIdentifier":"x","messageState":"PENDING"}]}"#,
                #"{"messageIdentifiers":[{"messageIdentifier":"\#(id)","messageState":7}]}"#,
                #"{"messageIdentifiers":[],"messageIdentifiers":[]}"#,
                #"{"messageIdentifiers":[]}x"#,
                #"{"messageIdentifiers":["\#u{1}"]}"#,
                #"{'messageIdentifiers':[]}"#,
                #"{"messageIdentifiers":[],"x":"\u0000"}"#,
                "\u{FEFF}{}",
                String(repeating: "[", count: 100),
                page,
            ]
        ),
        (
            .listImages,
            [
                #"{"imageIdentifiers":[{"imageIdentifier":"\#(id)","imageState":"PENDING","imageSize":[]}]}"#
            ]
        ),
        (
            .setDefault,
            [
                page
            ]
        ),
        (
            .getDefault,
            [
                #"{"messageIdentifier":true}"#
            ]
        ),
        (
            .getURL,
            [
                #"{"realtimeURL":5}"#
            ]
        ),
        (
            .getTestResult,
            [
                #"{"result":99999999999999999999}"#
            ]
        ),
        (
            .notificationHistory,
            [
                #"{"hasMore":false}"#,
                #"{"notificationHistory":[]}"#,
                #"{"notificationHistory":[],"hasMore":1}"#,
                #"{"notificationHistory":[],"hasMore":true}"#,
                #"{"notificationHistory":[{"sendAttempts":[]}],"hasMore":false}"#,
                #"{"notificationHistory":[{"signedPayload":7}],"hasMore":false}"#,
            ]
        ),
        (
            .testNotificationStatus,
            [
                "{}"
            ]
        ),
        (
            .subscriptionStatuses,
            [
                #"{"data":[{}]}"#
            ]
        ),
        (
            .transactionHistory,
            [
                #"{"hasMore":true}"#,
                #"{"hasMore":false,"environment":"Sandbox","bundleId":"b","signedTransactions":[1]}"#,
            ]
        ),
    ]

    @Test("that is not what Apple documents is an error", arguments: malformedBodies)
    func malformed(operation: AppStoreServerOperation, bodies: [String]) throws {
        for body in bodies {
            let world = try ClientWorld { _, _ in ClientWorld.json(body) }
            #expect(world.code { try OperationCall.of(operation).run($0) } == "apple.bad-answer", "\(body)")
        }
    }

    @Test(
        "that is not what Apple documents leaves open whether the work was done",
        arguments: [(.uploadMessage, page), (.startTest, "{"), (.requestTestNotification, "{}")]
            as [(AppStoreServerOperation, String)]
    )
    func unknown(operation: AppStoreServerOperation, body: String) throws {
        let world = try ClientWorld { _, _ in ClientWorld.json(body) }
        #expect(world.code { try OperationCall.of(operation).run($0) } == "apple.outcome-unknown")
    }

    @Test("that is not an object is called the answer, and a member of it by its path")
    func words() throws {
        for (body, text) in [
            ("[]", "the answer is not an object"),
            (
                #"{"messageIdentifiers":7}"#,
                "the answer is not the one that Apple documents: messageIdentifiers is missing or wrong"
            ),
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
        let world = try ClientWorld { _, _ in
            ClientWorld.json(images + more)
        }
        let list = try world.client.listImages()
        #expect(list.map(\.imageIdentifier) == [ClientWorld.identifier, ClientWorld.identifier])
        #expect(list.map(\.imageState) == [.other("NEW"), .pending])
        #expect(list.map(\.imageSize) == ["TINY", nil] && list.allSatisfy { $0.size == nil })
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
        _ = try world.client.perform(.deleteURL, [], body: nil)
        #expect(try world.client.deleteMessage(ClientWorld.identifier) == .confirmed)
    }

    @Test(
        "without an error object says what its status says",
        arguments: [
            (.setURL, 404, "", "apple.no-access"), (.deleteURL, 404, page, "apple.no-access"),
            (.startTest, 404, "", "apple.no-access"), (.getURL, 404, "", "apple.refused"),
            (.listMessages, 404, "{}", "apple.refused"), (.listMessages, 400, page, "apple.refused"),
            (.listMessages, 403, #"{"errorCode":"x"}"#, "apple.refused"),
            (.listMessages, 418, #"{"errorCode":4189999,"errorMessage":"?"}"#, "apple.4189999"),
            (.listMessages, 401, "", "apple.unauthorized"), (.listMessages, 401, page, "apple.unauthorized"),
            (.listMessages, 503, page, "apple.refused"),
            (.listMessages, 301, "", "apple.bad-answer"),
            (.setDefault, 302, "", "apple.bad-answer"),
            (.uploadMessage, 307, "", "apple.bad-answer"),
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
        let huge = list + String(repeating: " ", count: 11 << 20)
        let world = try ClientWorld { number, _ in ClientWorld.json(number == 0 ? list : huge) }
        #expect(try world.client.listMessages().count == 2000)
        #expect(world.code { _ = try $0.listMessages() } == "apple.bad-answer")
    }

    @Test("with the history of notifications has room for 20 of the longest notifications")
    func longPage() throws {
        let payload = String(repeating: "x", count: 512 << 10 - 200)
        let entry = #"{"signedPayload":"\#(payload)","sendAttempts":[]}"#
        func page(_ spaces: Int) -> String {
            #"{"notificationHistory":["# + Array(repeating: entry, count: 20).joined(separator: ",")
                + #"],"hasMore":false}"# + String(repeating: " ", count: spaces)
        }
        let (whole, huge) = (page(0), page(2 << 20))
        let world = try ClientWorld { number, _ in ClientWorld.json(number == 0 ? whole : huge) }
        let request = NotificationHistoryRequest(startDate: 1, endDate: 2)
        let notifications = try world.client.notificationHistory(request, paginationToken: nil).notifications
        #expect(notifications.count == 20 && notifications.allSatisfy { $0.signedPayload == payload })
        #expect(
            world.code { _ = try $0.notificationHistory(request, paginationToken: nil) }
                == "apple.bad-answer"
        )
    }

    @Test("that is late or cut off is an error with a code, after as many attempts as are allowed")
    func slow() throws {
        let world = try ClientWorld({ $0.timeoutMilliseconds = 200 }) { _, _ in .hang }
        #expect(world.code { _ = try $0.listMessages() } == "http.no-answer")
        #expect(world.received.count == 3)
        let partial = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8)
        let other = try ClientWorld { _, _ in .raw(partial) }
        #expect(other.code { _ = try $0.listMessages() } == "apple.bad-answer")
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

    @Test("of any bytes is read without a trap: the fuzzer's corpus")
    func corpus() throws {
        try FuzzCorpus.replay("AppStoreAnswer") { fuzzAppStoreAnswer($0) }
    }
}
