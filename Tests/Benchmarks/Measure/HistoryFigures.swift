internal import AppStoreSimulator
internal import NotificationStore
internal import SignedPayloads
internal import SubscriberHistory
internal import System

/// Measures `retentionctl facts build` on a large store, with SQLite and with PostgreSQL.
struct HistoryFigures {
    /// The kinds of the notifications of one life, in order: the purchase, renewals, a cancellation that is taken back, and an
    /// accepted offer.
    private static let life: [(type: String, subtype: String?)] = [
        ("SUBSCRIBED", "INITIAL_BUY"), ("DID_RENEW", nil), ("DID_RENEW", nil),
        ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"),
        ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"), ("DID_RENEW", nil), ("OFFER_REDEEMED", nil),
        ("DID_RENEW", nil), ("DID_RENEW", nil), ("DID_RENEW", nil),
    ]
    /// Notifications in one transaction.
    private static let batchCount = 500

    private let plan: Plan
    private let signer: SignedRequestBuilder
    private let verifier: SignedPayloadVerifier
    private let now = Clock.wallMilliseconds()

    init(_ plan: Plan, _ inProcess: InProcess) throws {
        self.plan = plan
        signer = try SignedRequestBuilder(chain: inProcess.traffic.knownChain)
        verifier = try inProcess.verifier()
    }

    func measure() throws -> [Figure] {
        let facts = SubscriberFact.allCases.map { "\"\($0.name)\": \"\($0.type)\"" }.joined(separator: ", ")
        let app = "{\"appAppleId\": \(Traffic.appAppleId), \"bundleId\": \"\(Traffic.bundleId)\"}"
        try plan.workspace.write(
            "{\"app\": \(app), \"environment\": \"Sandbox\", \"facts\": {\(facts)}}", to: "facts-schema.json")
        let server = try DatabaseServer(plan)
        defer { server.stop() }
        let files = "sqlite:" + plan.workspace.path(of: "history.db")
        return try [("SQLite", files), ("PostgreSQL", server.address)].map { name, address in
            try fill(address)
            if name == "PostgreSQL" { try server.vacuum() }
            let seconds = try Program.seconds(
                plan.products + "/retentionctl",
                [
                    "facts", "build", "--store", address, "--schema",
                    plan.workspace.path(of: "facts-schema.json"),
                    "-o", plan.workspace.path(of: "history.facts"),
                ], in: plan.workspace)
            return try Figure(
                "time of a facts build from a store, \(name)", [seconds], unit: "s",
                bar: plan.isFull ? .atMost(60) : .reported,
                remark: "\(subscriberCount * Self.life.count) notifications of \(subscriberCount) subscribers"
            )
        }
    }

    private var subscriberCount: Int { plan.isFull ? 200_000 : 2_000 * plan.pairs }

    /// Stores a life of each subscriber, one notification of each after the other.
    private func fill(_ address: String) throws {
        var options = StoreOptions(access: .create)
        // Digests are random, so that each row of a large store changes other pages of their indexes.
        options.hasLargeCache = true
        let store = try NotificationStore(StoreAddress(address), options)
        for number in Self.life.indices {
            let shape = try HistoryShape(verified(number), of: values(number, of: 0))
            for start in stride(from: 0, to: subscriberCount, by: Self.batchCount) {
                let items = try (start..<min(start + Self.batchCount, subscriberCount)).map {
                    try shape.item(values(number, of: $0), signer)
                }
                guard store.store(items).allSatisfy({ $0 == .stored }) else { throw Failure("not stored") }
            }
        }
    }

    private func values(_ number: Int, of subscriber: Int) -> HistoryValues {
        // The lives end at the present, so that every notification was signed in the past.
        let periods = Self.life.prefix(number + 1).count { $0.type != "DID_CHANGE_RENEWAL_STATUS" }
        let uuid = 0x8000_0000_0000_0000 | UInt64(number * subscriberCount + subscriber)
        return HistoryValues(
            subscriber: subscriber, period: Int64(periods),
            signedAt: now - (400 - Int64(number) * 30) * 86_400_000 + Int64(subscriber % 86_400) * 1000,
            uuid: UUID(high: 0x4C1E_20A7_93B5_4D66, low: uuid))
    }

    /// Signs and verifies the notification of this number in the life of the first subscriber.
    private func verified(_ number: Int) throws -> VerifiedPayload<SignedNotification> {
        let (type, subtype) = Self.life[number]
        let values = values(number, of: 0)
        guard let kind = NotificationKind(type, subtype), let uuid = UUID(values.uuid) else {
            throw Failure("no \(type)")
        }
        let payload = NotificationPayload(kind, of: values.sample, uuid: uuid, signedDate: values.signedAt)
        let jws = try signer.compact(payload)
        let verified = try verifier.verifyNotification(compact: jws.span, nowMilliseconds: now)
        guard verified.payload.failedParts.isEmpty else { throw Failure("a part was not verified") }
        return verified
    }
}

/// A PostgreSQL server of its own in the folder of the run: Debian's programs, a unix socket and no network.
///
/// PostgreSQL refuses to run as root. A run as root starts the server as the user `postgres`, whom Debian's package makes.
private final class DatabaseServer {
    private let plan: Plan
    private let folder: String
    private let programs: String
    private let program: Program

    init(_ plan: Plan) throws {
        self.plan = plan
        let root = "/usr/lib/postgresql"
        let versions = try Directory.names(in: try FileDescriptor.openDirectory(path: root), limitCount: 100)
        guard let newest = versions.compactMap({ Int($0) }).max() else { throw Failure("no PostgreSQL") }
        programs = "\(root)/\(newest)/bin"
        folder = plan.workspace.path(of: "postgresql")
        try plan.workspace.makeFolder("postgresql")
        var identity: [String] = []
        if Credentials.isPrivileged {
            identity = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
            _ = try Program.output("/usr/bin/chown", ["postgres:postgres", folder], in: plan.workspace)
        }
        let options = ["-U", "retention", "-A", "trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        _ = try Program.output(
            "/usr/bin/setpriv", identity + ["\(programs)/initdb", "-D", "\(folder)/data"] + options,
            in: plan.workspace)
        let settings = ["listen_addresses=", "unix_socket_directories=\(folder)", "shared_buffers=128MB"]
        program = try Program(
            "postgres", "/usr/bin/setpriv",
            identity + ["\(programs)/postgres", "-D", "\(folder)/data"] + settings.flatMap { ["-c", $0] },
            in: plan.workspace)
        let ready = ["-q", "-h", folder]
        let (isReady, workspace) = ("\(programs)/pg_isready", plan.workspace)
        try program.wait(seconds: 30) { (try? Program.output(isReady, ready, in: workspace)) != nil }
    }

    var address: String { "postgresql:///postgres?host=\(folder)&user=retention" }

    /// Does at once what autovacuum would do at some time: marks the rows as old, and counts the values of the columns.
    func vacuum() throws {
        _ = try Program.output(
            "\(programs)/psql",
            ["-X", "-q", "-c", "VACUUM (ANALYZE)", "-h", folder, "-U", "retention", "-d", "postgres"],
            in: plan.workspace)
    }

    func stop() { program.stop(.interrupt) }
}
