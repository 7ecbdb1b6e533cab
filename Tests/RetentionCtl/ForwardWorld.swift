import Cryptography
import HTTPClient
import NotificationStore
import retentionctl
import SignedPayloads
import Support
import System
import Testing

final class TestClock {
    var time: Int64 = 0

    var timing: StoreTiming {
        var timing = StoreTiming.system
        timing.now = { TestPKI.now + self.time }
        timing.elapsed = { self.time }
        timing.sleep = { self.time += max($0, 1) }
        return timing
    }
}

final class ForwardWorld {
    let clock = TestClock()
    private let folder: TemporaryDirectory
    private let address: StoreAddress
    let store: NotificationStore
    private(set) var bodies: [[UInt8]] = []
    private let proof: StoreProof

    init(count: Int) throws {
        folder = try TemporaryDirectory()
        address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
        store = try NotificationStore(address, StoreOptions(access: .create), timing: clock.timing)
        proof = try Self.sound.get()
        try add(count)
    }

    private init(folder: TemporaryDirectory, address: StoreAddress, bodies: [[UInt8]]) throws {
        self.folder = folder
        self.address = address
        self.bodies = bodies
        store = try NotificationStore(address, StoreOptions(access: .write), timing: clock.timing)
        proof = try Self.sound.get()
    }

    func reopened() throws -> ForwardWorld {
        try ForwardWorld(folder: folder, address: address, bodies: bodies)
    }

    /// Stores more notifications, and returns their bodies.
    @discardableResult
    func add(_ count: Int) throws -> [[UInt8]] {
        var items: [StoreItem] = []
        var new: [[UInt8]] = []
        for number in bodies.count..<bodies.count + count {
            let jws = ReceivedJWS(header: Array("e30".utf8), payload: Array("\(number)".utf8), signature: [])
            var columns = NotificationColumns()
            columns.type = "TEST"
            columns.originalTransactionID = Self.subscription(number)
            let notification = StoredNotification(
                proof: proof, jws,
                identity: .init(app: "com.example.app", environment: "Sandbox", uuid: "uuid-\(number)"),
                columns: columns)
            items.append(StoreItem(.notification(notification), source: .push, receivedAt: TestPKI.now))
            new.append(Array(#"{"signedPayload":"\#(String(decoding: jws.compact, as: UTF8.self))"}"#.utf8))
        }
        for outcome in store.store(items) where outcome != .stored { throw Failure() }
        bodies += new
        return new
    }

    struct Failure: Error {}

    static func subscription(_ number: Int) -> String { "subscription-\(number)" }

    func forwarder(
        _ urls: [String],
        _ transport: FakeReceivers,
        report: @escaping (String) -> Void = { _ in }
    ) throws -> Forwarder {
        let destinations = try urls.map { try ForwardReceiver(url: $0) }
        return try Forwarder(store, destinations, transport, timing: clock.timing, report: report)
    }

    static func withoutRepetitions(_ list: [[UInt8]]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        for body in list {
            if let last = result.last, ByteComparison.areEqual(last.span, body.span) { continue }
            result.append(body)
        }
        return result
    }

    /// The proof of a payload that a verifier has verified. Its content does not matter to the store.
    private static let sound = Result {
        let identity = AppIdentity(
            appAppleId: SignedBody.appAppleId, bundleId: "com.example.app", environments: [.sandbox])
        let policy = VerificationPolicy(anchors: [try TestPKI.anchor()], apps: [identity])
        let verifier = try SignedPayloadVerifier(policy: policy)
        let body = try SignedBody.make()
        return StoreProof(try verifier.verifyRealtimeRequest(body: body.span, nowMilliseconds: TestPKI.now))
    }
}

/// Receivers without a network. Each request takes some time of the test's clock, and requests under way overlap.
final class FakeReceivers: ForwardTransport {
    enum Answer {
        case status(Int)
        case retry(String)
        case lost
        /// The receiver took the notification, but its answer did not come in time.
        case takenButLost
    }

    private let clock: TestClock
    var answer: (_ url: String, _ count: Int, _ time: Int64) -> Answer = { _, _, _ in .status(200) }
    var milliseconds: [String: Int64] = [:]
    /// The number of the request during which the program dies; nil when it does not.
    var dies: Int?
    private(set) var isDead = false
    /// The bodies that were sent, and those that receivers took.
    private(set) var bodies: [String: [[UInt8]]] = [:]
    private(set) var taken: [String: [[UInt8]]] = [:]
    private var requestCount = 0

    init(_ clock: TestClock) {
        self.clock = clock
    }

    private var running: [(number: Int, end: Int64, request: HTTPRequest)] = []
    /// The URL whose requests cannot even be begun.
    var unsendable: String?

    func begin(_ request: HTTPRequest, number: Int) throws(HTTPClientError) {
        guard request.url != unsendable else { throw .other("this request cannot be sent") }
        running.append((number, clock.time + (milliseconds[request.url] ?? 10), request))
    }

    func advance(_ finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void) throws(HTTPClientError) {
        while let place = running.firstIndex(where: { $0.end <= clock.time }) {
            let ended = running.remove(at: place)
            let result = arrive(ended.request)
            // The program is gone before it learns what became of its request.
            if isDead { return }
            finished(ended.number, result)
        }
    }

    func wait(milliseconds: Int32) throws(HTTPClientError) {
        if isDead { throw .other("the program is gone") }
        let first = running.map(\.end).min() ?? .max
        clock.time = min(max(clock.time, first), clock.time + Int64(milliseconds))
    }

    private func arrive(_ request: HTTPRequest) -> Result<HTTPResponse, HTTPClientError> {
        let body = request.body ?? []
        bodies[request.url, default: []].append(body)
        let answer = answer(request.url, taken[request.url]?.count ?? 0, clock.time)
        defer { requestCount += 1 }
        if requestCount == dies { isDead = true }
        switch answer {
        case .status(let status):
            if (200...299).contains(status) { taken[request.url, default: []].append(body) }
            return .success(HTTPResponse(status: status, contentType: nil, body: []))
        case .retry(let value):
            return .success(HTTPResponse(status: 503, contentType: nil, retryAfter: value, body: []))
        case .lost: return .failure(.noResponse)
        case .takenButLost:
            taken[request.url, default: []].append(body)
            return .failure(.timedOut)
        }
    }
}
