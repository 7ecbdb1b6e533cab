import AppStoreServerAPI
import Support
import System
import Testing

@Suite("A lost answer")
struct RetryTests {
    private static let repeatable = AppStoreServerOperation.allCases.filter(\.isRepeatable)
    private static let changes: [AppStoreServerOperation] = [
        .uploadImage, .deleteImage, .uploadMessage, .deleteMessage,
    ]

    /// How an answer is lost.
    enum Loss: String, CaseIterable, CustomTestStringConvertible {
        case closed, truncated, internalError, retryableError, unavailable

        var testDescription: String { rawValue }

        var reply: LoopbackServer.Reply {
            switch self {
            case .closed: .close
            case .truncated: .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".utf8))
            case .internalError: ClientWorld.refusal(5_000_000)
            case .retryableError: ClientWorld.refusal(5_000_001)
            case .unavailable: .respond(status: 503, headers: ["Content-Type: text/html"], body: [0x3C])
            }
        }
    }

    @Test("is asked for again where a second call changes nothing", arguments: repeatable, Loss.allCases)
    func repeated(operation: AppStoreServerOperation, loss: Loss) throws {
        let call = OperationCall.of(operation)
        let world = try ClientWorld { number, _ in number < 2 ? loss.reply : ClientWorld.json(call.answer) }
        try call.run(world.client)
        #expect(world.calls == [call.request, call.request, call.request])
        #expect(world.clock.waits.map(\.milliseconds) == [1000, 2000])
        let failing = try ClientWorld { _, _ in loss.reply }
        #expect(failing.code { try call.run($0) } != nil)
        #expect(failing.received.count == 3)
    }

    @Test(
        "may be one that ends in the middle of its JSON, and is asked for again",
        arguments: [.listImages, .listMessages, .getDefault, .getURL, .getTestResult]
            + AppStoreServerOperation.recovery.filter(\.isRepeatable) as [AppStoreServerOperation]
    )
    func cutJSON(operation: AppStoreServerOperation) throws {
        let call = OperationCall.of(operation)
        let half = String(call.answer.prefix(call.answer.count / 2))
        let world = try ClientWorld { number, _ in ClientWorld.json(number < 2 ? half : call.answer) }
        try call.run(world.client)
        #expect(world.calls == [call.request, call.request, call.request])
        let failing = try ClientWorld { _, _ in ClientWorld.json(half) }
        #expect(failing.code { try call.run($0) } == "apple.bad-answer")
        #expect(failing.received.count == 3)
    }

    @Test(
        "to an upload or delete is looked up in the list before anything else",
        arguments: changes,
        Loss.allCases
    )
    func lookedUp(operation: AppStoreServerOperation, loss: Loss) throws {
        let isUpload = operation == .uploadImage || operation == .uploadMessage
        let call = OperationCall.of(operation)
        let list =
            operation == .uploadImage || operation == .deleteImage ? "GET /image/list" : "GET /message/list"
        let found = try ClientWorld { number, request in
            number == 0 ? loss.reply : ClientWorld.list(of: request, has: isUpload)
        }
        #expect(try Self.change(operation, found.client) == .foundAfterwards)
        #expect(found.calls == [call.request, list])
        // The list says that nothing was done: the call is made again.
        let absent = try ClientWorld { number, request in
            switch number {
            case 0: loss.reply
            case 1: ClientWorld.list(of: request, has: !isUpload)
            default: ClientWorld.json("")
            }
        }
        #expect(try Self.change(operation, absent.client) == .confirmed)
        #expect(absent.calls == [call.request, list, call.request])
        // The first call was still on its way.
        let codes: [AppStoreServerOperation: Int64] = [
            .uploadImage: 4_090_000, .uploadMessage: 4_090_001, .deleteImage: 4_040_014,
            .deleteMessage: 4_040_015,
        ]
        let late = try ClientWorld { number, request in
            switch number {
            case 0: loss.reply
            case 1: ClientWorld.list(of: request, has: !isUpload)
            default: ClientWorld.refusal(codes[operation] ?? 0)
            }
        }
        #expect(try Self.change(operation, late.client) == .foundAfterwards)
        // The same refusal of the first call is a refusal.
        let first = try ClientWorld { _, _ in ClientWorld.refusal(codes[operation] ?? 0) }
        #expect(first.code { _ = try Self.change(operation, $0) }?.hasPrefix("apple.") == true)
        #expect(first.received.count == 1)
    }

    @Test("to an upload or delete is an error of its own when the list cannot be read", arguments: changes)
    func unknown(operation: AppStoreServerOperation) throws {
        let world = try ClientWorld { number, _ in number == 0 ? .close : ClientWorld.refusal(4_000_006) }
        #expect(world.code { _ = try Self.change(operation, $0) } == "apple.outcome-unknown")
        #expect(world.received.count == 2)
        // The server never does the work: as many calls as are allowed, each followed by a look into the list.
        let isUpload = operation == .uploadImage || operation == .uploadMessage
        let down = try ClientWorld { _, request in
            request.method == "GET"
                ? ClientWorld.list(of: request, has: !isUpload) : ClientWorld.refusal(5_000_000)
        }
        #expect(down.code { _ = try Self.change(operation, $0) } == "apple.5000000")
        #expect(down.received.count == 6)
    }

    @Test(
        "to the start of a test is an error of its own, and the test is not started again",
        arguments: Loss.allCases
    )
    func started(loss: Loss) throws {
        let world = try ClientWorld { _, _ in loss.reply }
        let code = world.code { _ = try $0.perform(.startTest, [], body: nil) }
        #expect(code == "apple.outcome-unknown")
        #expect(world.received.count == 1)
        #expect(world.code { _ = try $0.requestTestNotification() } == "apple.outcome-unknown")
        #expect(world.received.count == 2)
    }

    @Test(
        "may be a refusal that Apple calls retryable, which is asked again",
        arguments: [4_040_002, 4_040_004, 4_040_006] as [Int64],
        AppStoreServerOperation.recovery.filter(\.isRepeatable)
    )
    func retryable(code: Int64, operation: AppStoreServerOperation) throws {
        let call = OperationCall.of(operation)
        let world = try ClientWorld { number, _ in
            number < 2 ? ClientWorld.refusal(code) : ClientWorld.json(call.answer)
        }
        try call.run(world.client)
        #expect(world.clock.waits.map(\.milliseconds) == [1000, 2000])
        let failing = try ClientWorld { _, _ in ClientWorld.refusal(code) }
        #expect(failing.code { try call.run($0) } == "apple.\(code)")
        #expect(failing.received.count == 3)
        // The code with the number below, or any other, is final.
        let final = try ClientWorld { _, _ in ClientWorld.refusal(code - 1) }
        #expect(final.code { try call.run($0) } == "apple.\(code - 1)")
        #expect(final.received.count == 1)
    }

    @Test(
        "may be a 401 among good answers: the call is made again with a new token, three times",
        arguments: AppStoreServerOperation.allCases
    )
    func unauthorized(operation: AppStoreServerOperation) throws {
        let call = OperationCall.of(operation)
        func world(refused: Range<Int>) throws -> ClientWorld {
            try ClientWorld { number, request in
                if refused.contains(number) { return .respond(status: 401) }
                return request.path.hasSuffix("/realtime/url") && request.method == "GET"
                    ? ClientWorld.json(OperationCall.of(.getURL).answer) : ClientWorld.json(call.answer)
            }
        }
        let good = try world(refused: 1..<4)
        _ = try good.client.realtimeURL()
        try call.run(good.client)
        #expect(good.calls.dropFirst() == [call.request, call.request, call.request, call.request])
        #expect(good.clock.waits.map(\.milliseconds) == [1000, 2000, 4000])
        let tokens = Set(good.received.compactMap { $0.headers["authorization"] })
        #expect(tokens.count == good.received.count)
        // A key that was revoked meanwhile.
        let revoked = try world(refused: 1..<100)
        _ = try revoked.client.realtimeURL()
        #expect(revoked.code { try call.run($0) } == "apple.unauthorized")
        #expect(revoked.received.count == 5)
        // No token was accepted yet: the credentials are wrong.
        let wrong = try world(refused: 0..<100)
        #expect(wrong.code { try call.run($0) } == "apple.unauthorized")
        #expect(wrong.received.count == 1)
    }

    @Test("of the status of a test notification that is not there yet is no error and not asked again")
    func polled() throws {
        let world = try ClientWorld { _, _ in ClientWorld.refusal(4_040_008) }
        #expect(try world.client.testNotificationStatus(token: "a") == nil)
        #expect(world.received.count == 1)
    }

    @Test("on a connection that was kept sends no upload twice", arguments: changes)
    func keptConnection(operation: AppStoreServerOperation) throws {
        let call = OperationCall.of(operation)
        let isUpload = operation == .uploadImage || operation == .uploadMessage
        let world = try ClientWorld { number, request in
            if number == 3 { return .close }
            if request.method != "GET" { return ClientWorld.json("") }
            return ClientWorld.list(of: request, has: isUpload)
        }
        _ = try world.client.listImages()
        _ = try world.client.listMessages()
        #expect(try Self.change(operation, world.client) == .confirmed)
        #expect(try Self.change(operation, world.client) == .foundAfterwards)
        #expect(world.calls.filter { $0 == call.request }.count == 2)
        #expect(world.received.count == 5)
    }

    @Test("is no reason to wait when nothing was sent", arguments: changes + repeatable)
    func notSent(operation: AppStoreServerOperation) throws {
        let port = try LoopbackPort.free(1)[0]
        let world = try ClientWorld(configuring: port)
        #expect(world.code { try OperationCall.of(operation).run($0) } == "http.unreachable")
        #expect(world.clock.waits.isEmpty)
    }

    private static func change(_ operation: AppStoreServerOperation, _ client: AppStoreServerClient) throws
        -> ChangeOutcome
    {
        let identifier = ClientWorld.identifier
        switch operation {
        case .uploadImage:
            return try client.uploadImage(
                Array("\u{89}PNG\u{0}bytes".utf8), as: identifier, size: .bulletPoint)
        case .deleteImage: return try client.deleteImage(identifier)
        case .uploadMessage:
            return try client.uploadMessage(UploadMessageRequestBody(header: "h", body: "b"), as: identifier)
        default: return try client.deleteMessage(identifier)
        }
    }
}

extension ClientWorld {
    /// A client of a port where nothing listens.
    convenience init(configuring port: UInt16) throws {
        let server = try AppStoreServer(environment: .sandbox, baseURL: "http://127.0.0.1:\(port)")
        try self.init({ $0.server = server }) { _, _ in .close }
    }
}
