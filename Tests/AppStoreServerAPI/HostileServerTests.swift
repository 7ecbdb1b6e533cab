import AppStoreServerAPI
import Cryptography
import Support
import System
import Testing

/// Whatever a server answers, over real sockets, each of the 20 operations ends with success or with a code.
@Suite("A hostile or broken server")
struct HostileServerTests {
    /// An answer, and the codes with which the operations end; nil is success.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let reply: LoopbackServer.Reply
        /// The code of operations that read the answer.
        let reading: String
        /// The code of operations that ask for nothing but success: setting and deleting default messages and the URL.
        let setting: String?
        /// The code of uploads and deletes, whose outcome the list may tell.
        let changing: String?
        /// The code of the start of a performance test.
        let starting: String
        var testDescription: String { name }

        init(
            _ name: String, _ reply: LoopbackServer.Reply, reading: String, setting: String?,
            changing: String?, starting: String = "apple.outcome-unknown"
        ) {
            self.name = name
            self.reply = reply
            self.reading = reading
            self.setting = setting
            self.changing = changing
            self.starting = starting
        }

        /// An answer after which nobody knows whether the work was done.
        static func lost(_ name: String, _ reply: LoopbackServer.Reply, _ code: String) -> Row {
            Row(name, reply, reading: code, setting: code, changing: unknown)
        }

        /// An answer after which the work was not done.
        static func refused(_ name: String, _ reply: LoopbackServer.Reply, _ code: String) -> Row {
            Row(name, reply, reading: code, setting: code, changing: code, starting: code)
        }

        /// A success whose body is not what Apple documents. Where Apple documents no body, it is a success.
        static func body(_ name: String, _ text: String, _ code: String) -> Row {
            Row(name, ClientWorld.json(text), reading: code, setting: nil, changing: nil)
        }

        private static let unknown = "apple.outcome-unknown"
    }

    private static func raw(_ text: String) -> LoopbackServer.Reply { .raw(Array(text.utf8)) }
    /// More than a page of the history of notifications may have.
    private static let huge = [UInt8](repeating: 0x20, count: 13 << 20)
    private static let chunk =
        Array("100000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x100000) + [13, 10]

    private static let transport: [Row] = [
        .lost("closed at once", .close, "http.no-answer"),
        .lost("not HTTP", raw("SSH-2.0-OpenSSH_9.2\r\n"), "http.bad-answer"),
        .lost("a status that is not a number", raw("HTTP/1.1 abc OK\r\n\r\n"), "http.bad-answer"),
        .lost("a negative length", raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), "http.bad-answer"),
        .lost("cut off", raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), "apple.bad-answer"),
        .lost(
            "cut off in a chunk", raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"),
            "apple.bad-answer"),
        .lost("cut off in the header", raw("HTTP/1.1 200 OK\r\nContent-Le"), "apple.bad-answer"),
        .lost(
            "a length of a chunk that is not a number",
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), "http.no-answer"),
        .lost("huge", .respond(status: 200, body: huge), "apple.bad-answer"),
        .lost(
            "endless",
            .raw(
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                    + Array(repeatElement(chunk, count: 13).joined())
            ),
            "apple.bad-answer"
        ),
        .lost("a huge refusal", .respond(status: 400, body: huge), "apple.bad-answer"),
        .lost(
            "a huge header", .respond(status: 200, headers: ["X: " + String(repeating: "x", count: 1 << 20)]),
            "http.bad-answer"),
    ]

    private static let pages: [Row] =
        [301, 302, 303, 307, 308].map {
            .refused(
                "redirection \($0)", .respond(status: $0, headers: ["Location: /other"]),
                "apple.bad-answer")
        } + [
            .lost(
                "a page", .respond(status: 200, headers: ["Content-Type: text/html"], body: Array("{}".utf8)),
                "apple.bad-answer"),
            .lost("a page that claims to be JSON", ClientWorld.json(" <html>"), "apple.bad-answer"),
            .lost("a page of a proxy", raw("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>"), "apple.refused"),
            .lost("a status that nobody knows", ClientWorld.json("{}", status: 599), "apple.refused"),
            .refused("a page with 403", ClientWorld.json("<html>", status: 403), "apple.refused"),
        ]

    private static let bodies: [Row] = [
        .body("nothing", "", "apple.bad-answer"),
        .body("half an object", #"{"messageIdentifiers":[{"#, "apple.bad-answer"),
        .body("an array", "[1]", "apple.bad-answer"),
        .body("null", "null", "apple.bad-answer"),
        .body("text", "OK", "apple.bad-answer"),
        .body("a member twice", #"{"x":1,"x":1}"#, "apple.bad-answer"),
        .body(
            "deep", String(repeating: "[", count: 9999) + String(repeating: "]", count: 9999),
            "apple.bad-answer"),
        .body("a great number", #"{"x":1e999}"#, "apple.bad-answer"),
        .body("an object without members", "{}", "apple.bad-answer"),
        .body(
            "members of wrong types",
            #"{"messageIdentifiers":1,"imageIdentifiers":"","messageIdentifier":[],"realtimeURL":{},"result":1,"#
                + #""config":true,"requestId":-1,"notificationHistory":1,"signedPayload":1,"data":1,"hasMore":1,"#
                + #""signedTransactionInfo":1}"#,
            "apple.bad-answer"
        ),
        Row(
            "bytes that are not UTF-8",
            .respond(status: 200, body: [0x7B, 0x22, 0xFF, 0xC0, 0x22, 0x3A, 0x31, 0x7D]),
            reading: "apple.bad-answer", setting: nil, changing: nil),
        Row(
            "gzip that nobody asked for",
            .respond(status: 200, headers: ["Content-Encoding: gzip"], body: [0x1F, 0x8B, 8, 0]),
            reading: "apple.bad-answer", setting: nil, changing: nil),
    ]

    @Test(
        "ends every operation with a code, and sends its token nowhere else",
        arguments: transport + pages + bodies
    )
    func answers(row: Row) throws {
        let world = try ClientWorld { _, _ in row.reply }
        // Nothing is read from the objects of these, but that they are objects.
        let isObject = row.name == "an object without members" || row.name == "members of wrong types"
        let generic: Set<AppStoreServerOperation> = [.startTest, .getTestResult, .transactionInfo]
        for call in OperationCall.all where !isObject || !generic.contains(call.operation) {
            let before = world.received.count
            let code = world.code { try call.run($0) }
            let expected: String? =
                switch call.operation {
                case .listImages, .listMessages, .getDefault, .getURL, .getTestResult, .notificationHistory,
                    .testNotificationStatus, .subscriptionStatuses, .transactionHistory, .transactionInfo:
                    row.reading
                case .setDefault, .deleteDefault, .setURL, .deleteURL: row.setting
                case .uploadImage, .deleteImage, .uploadMessage, .deleteMessage: row.changing
                case .startTest, .requestTestNotification: row.starting
                }
            #expect(code == expected, "\(call.operation)")
            // At most three attempts, or one and three looks into the list.
            #expect(world.received.count - before <= 4)
        }
        #expect(world.received.allSatisfy { $0.path.hasPrefix("/inApps/") })
    }

    /// A place in an answer where a server repeats the token of the request.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case member, escaped, name, refusal, escapedRefusal, header, location, reason, page

        var testDescription: String { rawValue }

        func reply(_ token: String) -> LoopbackServer.Reply {
            let escaped = token.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
            let texts = ["realtimeURL", "messageIdentifier", "result", "target", "requestId", "errorMessage"]
            func object(_ text: String) -> String {
                "{" + texts.map { #""\#($0)":"\#(text)""# }.joined(separator: ",") + #","errorCode":4000164}"#
            }
            switch self {
            case .member: return ClientWorld.json(object(token))
            case .escaped: return ClientWorld.json(object(escaped))
            case .name:
                return ClientWorld.json(#"{"result":"FAIL","failures":{"\#(token)":"1"},"\#(token)":1}"#)
            case .refusal: return ClientWorld.json(object(token), status: 400)
            case .escapedRefusal: return ClientWorld.json(object(escaped), status: 401)
            case .header:
                return .respond(
                    status: 429,
                    headers: ["Retry-After: \(token)", "Date: \(token)", "Content-Type: \(token)"])
            case .location: return .respond(status: 302, headers: ["Location: https://example.com/\(token)"])
            case .reason: return .raw(Array("HTTP/1.1 \(token) \(token)\r\n\(token): \(token)\r\n\r\n".utf8))
            case .page:
                return .respond(status: 500, headers: ["Content-Type: text/html"], body: Array(token.utf8))
            }
        }
    }

    @Test(
        "that repeats the token anywhere puts it into no error, whatever the operation",
        arguments: Place.allCases
    )
    func secrets(place: Place) throws {
        let world = try ClientWorld { _, request in
            place.reply(String((request.headers["authorization"] ?? "").dropFirst("Bearer ".count)))
        }
        let pem = try world.key.pem().split(separator: "\n").dropFirst()
        for call in OperationCall.all {
            let before = world.received.count
            let error = #expect(throws: AppStoreServerAPIError.self) { try call.run(world.client) }
            let shown = "\(String(describing: error)) \(String(reflecting: error)) \(error?.code ?? "")"
            for request in world.received.dropFirst(before) {
                let parts = (request.headers["authorization"] ?? "").dropFirst("Bearer ".count).split(
                    separator: "."
                )
                #expect(parts.count == 3)
                for part in parts { #expect(!shown.contains(part), "\(call.operation): \(shown)") }
            }
            #expect(pem.allSatisfy { !shown.contains($0) })
        }
    }
}
