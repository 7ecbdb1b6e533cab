import AppStoreSimulator
import CertificateAuthority
import Configuration
import Logging
import NotificationStore
import Pool
@testable import Recorder
import Support
import Synchronization
import System
import Testing

/// A recorder in the process of the test, with a store that the test controls and a clock that the test sets.
final class RecorderBench {
    static let forge = Result { try ZooForge(now: TestPKI.now) }

    let folder: TemporaryDirectory
    let store = TestStore()
    let forge: ZooForge
    let process: RecorderProcess
    let clock = TestClock()
    let logPath: String
    private let socketPath: String
    private let logFile: FileDescriptor

    final class TestClock: Sendable {
        private let elapsed = Mutex<UInt64>(0)
        private let wall = Mutex<Int64>(TestPKI.now)
        private let slept = Mutex<UInt64>(0)

        func advance(milliseconds: UInt64) { elapsed.withLock { $0 += milliseconds * 1_000_000 } }
        func sleep(milliseconds: UInt64) { slept.withLock { $0 += milliseconds * 1_000_000 } }
        func setWall(_ milliseconds: Int64) { wall.withLock { $0 = milliseconds } }

        var timing: RecorderTiming {
            RecorderTiming(
                wallMilliseconds: { self.wall.withLock { $0 } },
                // The server takes the time of arrival from the machine's clock.
                monotonicNanoseconds: { Clock.monotonicNanoseconds() + self.elapsed.withLock { $0 } },
                bootNanoseconds: {
                    Clock.monotonicNanoseconds() + self.elapsed.withLock { $0 } + self.slept.withLock { $0 }
                }
            )
        }
    }

    init(
        _ notifications: String = "",
        waitingCount: Int = 1024,
        _ change: (TestStore) -> Void = { _ in }
    ) throws {
        folder = try TemporaryDirectory()
        forge = try Self.forge.get()
        socketPath = folder.path(of: "recorder.sock")
        logPath = folder.path(of: "log")
        try folder.write(forge.trusted.chain.root.pem, to: "anchor.pem")
        try folder.write(forge.strict.chain.root.pem, to: "strict.pem")
        try Self.write(notifications, in: folder)
        change(store)
        let path = folder.path(of: "retentiond.json")
        logFile = try FileDescriptor.create(path: logPath, permissions: 0o600)
        let errorLog = ErrorLog(sharing: logFile.number)
        let handler = LineLogHandler(
            component: "recorder", level: .info, format: .logfmt, errorLog: errorLog, processNumber: 1)
        process = try RecorderProcess(
            RecorderConfiguration(path: path),
            path: path,
            listener: ListeningSocket(
                unixPath: socketPath, access: ListeningSocket.Access(mode: 0o600), backlog: 64),
            signals: SignalDescriptor(receiving: []),
            logger: Logger(label: "recorder") { _ in handler },
            errorLog: errorLog,
            waitingCount: waitingCount,
            open: store.opening,
            timing: clock.timing
        )
    }

    /// Writes `retentiond.json`. `notifications` has members of that object besides the places of files.
    static func write(
        _ notifications: String, limits: String = "", log: String = "", in folder: TemporaryDirectory
    ) throws {
        let text = """
            {"anchors": ["\(folder.path(of: "anchor.pem"))"],
             "apps": [
               {"appAppleId": \(TestPayload.appAppleId), "bundleId": "\(TestPayload.bundleId)",
                "environments": ["Production", "Sandbox"]},
               {"appAppleId": \(TestPayload.strictAppAppleId), "bundleId": "\(TestPayload.strictBundleId)",
                "environments": ["Production"], "anchors": ["\(folder.path(of: "strict.pem"))"]}],
             "limits": {\(limits)},\(log.isEmpty ? "" : " \"log\": {\(log)},")
             "notifications": {"pidFile": "\(folder.path(of: "recorder.pid"))",
               "listen": "unix:\(folder.path(of: "recorder.sock"))",
               "store": "sqlite:\(folder.path(of: "store.db"))"\(notifications.isEmpty ? "" : ",")\(notifications)}}
            """
        try folder.write(text, to: "retentiond.json")
    }

    deinit { store.change { $0.isHeld = false } }

    var log: String { (try? SourceFile.read(logPath)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    func connect() throws -> FastCGIClient { try FastCGIClient(unixPath: socketPath) }

    /// Turns the recorder until `isOver`.
    func turn(until isOver: () -> Bool) throws {
        while !isOver() { try process.turn(timeoutMilliseconds: 20) }
    }

    /// Turns the recorder until it has opened the store.
    func awaitStore() throws {
        try turn { process.recorder.condition == .open }
    }

    func settle() throws {
        for _ in 0..<5 { try process.turn(timeoutMilliseconds: 0) }
    }

    @discardableResult
    func send(
        _ body: [UInt8], to endpoint: String = "notifications", method: String = "POST", query: String = "",
        parameters: [(String, String)] = []
    ) throws -> FastCGIClient {
        let client = try connect()
        let bytes = FastCGIRecords.request(
            [("RETENTION_ENDPOINT", endpoint), ("REQUEST_METHOD", method), ("QUERY_STRING", query)]
                + parameters,
            body: body
        )
        try deliver(bytes[...], by: client)
        return client
    }

    /// Sends bytes, and lets the recorder read them meanwhile.
    func deliver(_ bytes: ArraySlice<UInt8>, by client: FastCGIClient) throws {
        var rest = bytes
        while !rest.isEmpty {
            rest = rest.dropFirst(try client.sendSome(Array(rest)))
            try settle()
        }
    }

    func reply(
        _ body: [UInt8], to endpoint: String = "notifications", method: String = "POST", query: String = ""
    ) throws -> FastCGIClient.Reply {
        let client = try send(body, to: endpoint, method: method, query: query)
        try turn { !client.isSilent() }
        return try client.readReply()
    }

    func body(_ number: UInt64, _ type: String = "SUBSCRIBED", _ subtype: String? = "INITIAL_BUY") throws
        -> [UInt8]
    {
        try forge.body(forge.notification(type, subtype, number: number))
    }

    static func uuid(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return "3db5c98d-8acf-4e29-831e-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

extension FastCGIClient.Reply {
    func hasCode(_ code: String) -> Bool {
        String(decoding: body, as: UTF8.self).contains("\"code\":\"\(code)\"")
    }
}

final class TestStore: Sendable {
    struct State {
        /// True when commits wait until the test lets them go on.
        var isHeld = false
        var failure: NotificationStoreError?
        var openFailure: NotificationStoreError?
        var oldest: [String: Int64] = [:]
        var oldestFailure: NotificationStoreError?
        var setAside: [String: Int64] = [:]
        var openCount = 0
        var probes: [Bool] = []
        var batches: [[String]] = []
        var startedCount = 0
    }

    private let state = Mutex(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var batches: [[String]] { state.withLock { $0.batches } }
    var startedCount: Int { state.withLock { $0.startedCount } }
    var openCount: Int { state.withLock { $0.openCount } }
    var probes: [Bool] { state.withLock { $0.probes } }

    var opening: StoreOpening {
        { () throws(NotificationStoreError) in
            let failure = self.state.withLock { state in
                state.openCount += 1
                return state.openFailure
            }
            if let failure { throw failure }
            return Store(owner: self)
        }
    }

    private struct Store: RecordingStore {
        let owner: TestStore

        func prepare() throws(NotificationStoreError) {}

        func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64? {
            let (failure, oldest) = owner.state.withLock { ($0.oldestFailure, $0.oldest[receiver.name]) }
            if let failure { throw failure }
            return oldest
        }

        func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64 {
            owner.state.withLock { $0.setAside[receiver.name] ?? 0 }
        }

        func probe(writes: Bool) throws(NotificationStoreError) {
            let failure = owner.state.withLock { state in
                state.probes.append(writes)
                return state.failure
            }
            if let failure, !failure.isAboutItem { throw failure }
        }

        func store(_ items: [StoreItem]) -> [StoreOutcome] {
            owner.state.withLock { $0.startedCount += 1 }
            while owner.state.withLock({ $0.isHeld }) {
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: 1)
            }
            return owner.state.withLock { state in
                if let failure = state.failure { return items.map { _ in .notStored(failure) } }
                let known = Set(state.batches.joined())
                state.batches.append(items.map(\.uuid))
                return items.map { known.contains($0.uuid) ? .alreadyThere : .stored }
            }
        }
    }
}

extension StoreItem {
    var uuid: String {
        if case .notification(let notification) = content { notification.identity.uuid } else { "" }
    }
}
