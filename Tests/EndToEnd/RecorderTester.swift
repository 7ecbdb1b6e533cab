import AppStoreSimulator
import HTTPLoad
import NotificationStore
import SQL
import Support
import Synchronization
import System
import Testing

/// The databases on which a recorder stores.
enum StoreSystem: String, Sendable, CaseIterable {
    case sqlite
    case postgreSQL

    /// The address of an empty store; nil for a file in the folder of the test.
    func makeStore() throws -> String? { self == .sqlite ? nil : try PostgreSQLServer.shared().makeSchema() }
}

/// A recorder behind a real nginx, with its store, for one test.
final class RecorderTester: Sendable {
    let tester: Tester
    let store: StoreAddress
    private let environment: [String]
    /// The socket that the test holds, as systemd does, and every recorder inherits; nil when the recorder makes its own.
    private let socket: HeldSocket?
    private let process = Mutex<RunningProcess?>(nil)

    /// The path of the recorder's location.
    static let path = "/notifications"

    /// Starts nginx and the recorder, runs `body`, and stops both. `store` is the address of the store; nil stands for a
    /// file of SQLite in the folder of the test. `settings` has members of `notifications` in JSON, each with a comma before
    /// it, `log` is the object `log`. nginx has the recorder's files alone, or those of the pool too.
    /// With `inheritsSocket`, the recorder gets its socket as from systemd.
    static func run<Value>(
        store: String? = nil, settings: String = "", log: String? = nil, environment: [String] = [],
        starts: Bool = true,
        besidePool: Bool = false, inheritsSocket: Bool = false,
        nginxChanges: [(file: String, old: String, new: String)] = [],
        _ body: (RecorderTester) throws -> Value
    ) throws -> Value {
        let options = TesterOptions().with { options in
            options.startsDaemon = false
            if let log { options.configuration = [("log", log)] }
            options.nginxChanges =
                [
                    (
                        "nginx.conf", "#include retentiond-notifications-upstream.conf;",
                        "include retentiond-notifications-upstream.conf;"
                    ),
                    (
                        "nginx.conf", "#include retentiond-notifications.conf;",
                        "include retentiond-notifications.conf;"
                    ),
                ] + nginxChanges
            guard !besidePool else { return }
            options.nginxChanges += [
                ("nginx.conf", "include retentiond-upstream.conf;", ""),
                ("nginx.conf", "include retentiond.conf;\n" + NginxFolder.strangeLocations, ""),
            ]
        }
        return try Tester.run(options) { tester in
            let recorder = try RecorderTester(
                tester, store, settings, environment, inheritsSocket: inheritsSocket)
            defer { recorder.stop() }
            do {
                if starts { try recorder.start() }
                return try body(recorder)
            } catch {
                print("--- recorder ---\n\(recorder.log.suffix(6000))")
                throw error
            }
        }
    }

    private init(
        _ tester: Tester, _ store: String?, _ settings: String, _ environment: [String], inheritsSocket: Bool
    ) throws {
        self.tester = tester
        self.environment = environment
        let address = store ?? "sqlite:\(tester.folder.path(of: "notifications.db"))"
        self.store = try StoreAddress(address)
        let path = tester.folder.path(of: NginxFolder.recorderSocket)
        socket = inheritsSocket ? try HeldSocket(path: path) : nil
        let notifications = """
            {"listen": "\(inheritsSocket ? "systemd" : "unix:\(path)")", "store": "\(address)",
             "pidFile": "\(tester.folder.path(of: "run/recorder.pid"))"\(settings)}
            """
        try tester.writeConfiguration(changes: [("notifications", notifications)])
    }

    var log: String { process.withLock { $0 }?.log ?? "" }

    var recorder: RunningProcess {
        get throws {
            guard let process = process.withLock({ $0 }) else { throw Complaint("no recorder") }
            return process
        }
    }

    /// Starts the recorder and waits until it takes notifications.
    func start(waits: Bool = true) throws {
        let program = [try Programs.recorder(), "--allow-root", "--config", tester.configurationPath]
        let started = try RunningProcess(
            program, logPath: tester.folder.path(of: "recorder.log"), environment: environment, socket: socket
        )
        process.withLock { $0 = started }
        guard waits else { return }
        guard Patience.wait(seconds: 30, { self.answersPing || started.hasEnded }), !started.hasEnded else {
            throw Complaint("the recorder is not ready: \(started.log)")
        }
    }

    /// True when nginx gets `pong` from the recorder.
    var answersPing: Bool { tester.get("/notifications-ping")?.body == "pong" }

    /// Kills the recorder, and waits until it is gone.
    func kill() throws {
        let process = try recorder
        try process.send(.kill)
        _ = process.waitForExit()
    }

    func quit() throws {
        let process = try recorder
        try process.send(.quit)
        guard process.waitForExit() == .exited(0) else { throw Complaint("no clean end: \(process.log)") }
    }

    private func stop() {
        guard let process = process.withLock({ $0 }) else { return }
        try? process.send(.quit)
        if process.waitForExit(seconds: 10) == nil { try? process.send(.kill) }
    }

    func post(_ body: [UInt8]) -> PlainAnswer? { tester.post(body, to: Self.path) }

    /// Sends notifications with these numbers, and expects that each is stored.
    func expectStored(_ numbers: ClosedRange<UInt64>) throws {
        for number in numbers {
            let answer = post(try body(number))
            #expect(answer?.status == 200, "\(number): \(String(describing: answer))")
        }
    }

    /// Expects that a notification is answered with 503.
    func expectUnavailable(_ number: UInt64) throws {
        let answer = post(try body(number))
        #expect(answer?.status == 503 && answer?.code == "store-unavailable", "\(String(describing: answer))")
    }

    /// Returns the body of a sound notification. `number` is part of its UUID.
    func body(_ number: UInt64) throws -> [UInt8] {
        try tester.forge.body(tester.forge.notification("SUBSCRIBED", "INITIAL_BUY", number: number))
    }

    static func uuid(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return "3db5c98d-8acf-4e29-831e-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// A connection to the database below the store, to see what others see, or to do damage.
    func connect() throws -> any SQLConnection {
        switch store {
        case .sqlite(let path): try SQLiteConnection(path: path, SQLiteOptions(access: .write))
        case .postgreSQL(let uri): try PostgreSQLConnection(address: uri)
        }
    }

    /// The UUIDs of all rows, one for each row, in the order of storing. This also reads tables that no program would open.
    func rows() throws -> [String] {
        try connect().query("SELECT uuid FROM notifications ORDER BY id").map { try $0.text(0) }
    }

    /// The hashes of the bodies that Apple sent, rebuilt from the rows.
    func bodyHashes() throws -> Set<Int> {
        let store = try NotificationStore(store, StoreOptions(access: .read))
        var hashes: Set<Int> = []
        var after: Int64? = 0
        while let place = after {
            let page = try store.jws(.notification, after: place, count: StorePage.greatestCount)
            for row in page.rows {
                guard let jws = row.jws else { throw Complaint("row \(row.id) cannot be rebuilt") }
                hashes.insert(SignedRequestBuilder.wrap(jws).hashValue)
            }
            after = page.next
        }
        return hashes
    }
}
