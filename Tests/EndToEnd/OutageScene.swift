import JSON
import NotificationStore
import Support
import System
import Vocabulary

/// The simulator behind its nginx, which sends its notifications to a recorder behind another nginx, and the tool. All
/// programs but nginx have one clock, which the test lets pass.
struct OutageScene {
    static let app = "com.example.app"
    static let hour: Int64 = 3_600_000
    private static let kinds = [
        "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED", "OFFER_REDEEMED", "REFUND",
        "DID_CHANGE_RENEWAL_PREF", "TEST", "RESCIND_CONSENT", "EXTERNAL_PURCHASE_TOKEN.CREATED",
    ]

    let recorder: RecorderTester
    private let world: SimulatorWorld
    private let clock: SharedClock

    /// Starts everything, runs `body`, and stops everything. `store` is the address of the store; nil stands for a file.
    static func run<Value>(store: String?, _ body: (OutageScene) throws -> Value) throws -> Value {
        let clock = try SharedClock(.killingAndWarping())
        return try RecorderTester.run(store: store, environment: clock.environment, starts: false) {
            recorder in
            let receiver = ["--cacert", recorder.tester.folder.path(of: "nginx/server.pem")]
            let world = try SimulatorWorld(apps: [app], options: receiver, clock: clock)
            let scene = OutageScene(recorder: recorder, world: world, clock: clock)
            try recorder.configure([
                ("anchors", #"["\#(scene.anchor)"]"#),
                (
                    "apps",
                    #"[{"appAppleId": 1, "bundleId": "\#(app)", "environments": ["Production"]}]"#
                ),
            ])
            try recorder.start()
            let url = "https://localhost:\(recorder.tester.tlsPort)\(RecorderTester.path)"
            try world.administer("notification-url", #"{"url":"\#(url)"}"#, .production)
            return try body(scene)
        }
    }

    private var anchor: String { world.folder.path(of: "authority/root.pem") }

    // MARK: - Time

    /// Makes notifications of so many random events. The simulator begins to send them.
    func notify(_ count: Int, _ random: inout SeededGenerator) throws {
        let events = (0..<count).map { _ in
            let kind = Self.kinds.randomElement(using: &random) ?? ""
            let subscriber = Int64.random(in: 1...40, using: &random) * 1000
            return #"{"kind":"\#(kind)","subscriber":\#(subscriber)}"#
        }
        try world.administer(
            "notifications",
            #"{"events":[\#(events.joined(separator: ","))]}"#,
            .production
        )
    }

    /// Waits until the simulator has made all attempts that are due now, and returns its notifications.
    @discardableResult
    func settle() throws -> [JSONValue] {
        var found: [JSONValue] = []
        let isDone = Patience.wait(seconds: 120) {
            // The state is long, and the simulator should send instead of writing it.
            Patience.pause(milliseconds: 20)
            guard let list = try? notifications(), let ahead = try? clock.aheadMilliseconds() else {
                return false
            }
            found = list
            let now = Clock.wallMilliseconds() + ahead
            return list.allSatisfy { $0.member("nextMilliseconds")?.int64 ?? .max > now }
        }
        guard isDone else { throw Complaint("the simulator does not come to an end with its notifications") }
        return found
    }

    /// Lets hours pass, after the simulator has made all attempts that are due.
    func pass(hours: Int64) throws {
        try settle()
        try clock.pass(milliseconds: hours * Self.hour)
    }

    // MARK: - The simulator

    private func notifications() throws -> [JSONValue] {
        let app = try world.state().member("state")?.member("apps")?.member(named: Self.app)
        guard let notices = app?.member("Production")?.member("notices") else {
            throw Complaint("the simulator has no notifications")
        }
        return notices.member("notifications")?.elements ?? []
    }

    /// The calls that the simulator has counted: operations, with the statuses of their answers.
    func calls() throws -> [String: [String: Int64]] {
        let calls = try world.state().member("calls")?.member(named: Self.app)?.member("Production")
        var found: [String: [String: Int64]] = [:]
        for (operation, statuses) in calls?.members ?? [] {
            for (status, count) in statuses.members { found[operation, default: [:]][status] = count.int64 }
        }
        return found
    }

    // MARK: - The recovery

    /// Runs `retentionctl notifications recover`, with further options and entries of the environment.
    func recover(into store: String? = nil, _ more: [String] = [], environment: [String] = []) throws
        -> ProgramRun
    {
        let words = ["--json", "--bundle-id", Self.app, "--app-apple-id", "1", "--anchors", anchor]
        return try world.run(
            ["notifications", "recover", "--store", store ?? recorder.store.description] + words + more
                + world.options(.production),
            environment: environment
        )
    }

    /// Runs a recovery to its end, and returns the report.
    func recoverWhole() throws -> JSONValue {
        let run = try recover()
        guard run.status == 0 else { throw Complaint("the recovery fails: \(run)") }
        let bytes = Array(run.output.utf8)
        return try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 8)).root
    }

    /// Runs a recovery of the last `hours` into another store, and returns the number of the points at which it could be
    /// killed.
    func recoveryPointCount(hours: Int64, into store: String?) throws -> Int {
        let store = store ?? "sqlite:" + world.folder.path(of: "other.db")
        let from = Clock.wallMilliseconds() + (try clock.aheadMilliseconds()) - hours * Self.hour
        let run = try recover(
            into: store, ["--from", "\(from)"], environment: ["POINT_FILE=" + world.folder.path(of: "points")]
        )
        guard run.status == 0 else { throw Complaint("the recovery fails: \(run)") }
        return Int(String(decoding: try world.folder.read("points"), as: UTF8.self)) ?? 0
    }

    /// What is wrong: notifications of the simulator that the store does not have, has twice, or has from elsewhere.
    func complaints() throws -> [String] {
        let made = try settle().compactMap { $0.member("uuid")?.string }
        var rows: [String: Int] = [:]
        for uuid in try recorder.rows() { rows[uuid, default: 0] += 1 }
        let missing = made.filter { rows[$0] == nil }.map { "\($0) is missing" }
        let foreign = Set(rows.keys).subtracting(made).map { "nobody made \($0)" }
        return missing + foreign + rows.filter { $0.value > 1 }.map { "\($0.key) is there \($0.value) times" }
    }
}
