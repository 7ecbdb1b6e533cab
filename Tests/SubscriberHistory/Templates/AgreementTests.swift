import AppStoreTraffic
import CertificateAuthority
import Cryptography
import DataFiles
import Decisions
import SubscriberHistory
import Support
import System
import Testing
import Vocabulary

/// The decisions of a worker, of `explain` and by hand are the same.
@Suite("Decisions on facts of 1,000 random subscribers", .timeLimit(.minutes(60)))
struct AgreementTests {
    /// A subscriber at a time.
    private struct Subscriber {
        let key: UInt64
        let product: String
        /// What a facts file of that time has.
        let built: [SubscriberFact: HistoryValue]
        /// What is known, with the values of the truth where nothing got lost.
        let known: [SubscriberFact: HistoryValue]

        init(_ key: UInt64, _ world: World, at now: Int64) {
            self.key = key
            product = world.truth.running(now)?.product ?? "monthly"
            let payloads = world.life.payloads
            let derived = HistoryFacts(payloads, now: now)
            // As `facts build` does: from what it keeps of the subscriber, unless that begins later.
            let isKept = payloads.newest.map { $0 <= now } ?? false
            built = isKept ? FactPieces(payloads)?.piece(at: now)?.values.known ?? [:] : derived.values
            let truth = world.truth.values(now)
            var values = derived.values
            // The truth does not have the price of the coming period.
            if world.loss == .nothing {
                for fact in values.keys where fact != .renewalPrice && fact != .historyComplete {
                    values[fact] = truth[fact]
                }
            }
            known = values
        }

        func byHand(_ template: String, at now: Int64) -> Decided {
            HandDecision(facts: known, product: product, now: now).decide(template)
        }
    }

    private static func subscribers(at now: Int64) -> [Subscriber] {
        WorldTests.worlds.joined().enumerated().map { index, world in
            Subscriber(2_000_000_000 + UInt64(index), world, at: now)
        }
    }

    private static func templates() throws -> [Template] {
        try Template.names.map { try Template($0, changes: HandDecision.changes) }
    }

    /// The times, in days since the first purchases.
    private static let days: [Double] = [5, 190, 420]

    /// The subscribers at each of the times.
    private static let moments = days.map { day in
        (now: Life.time(day), subscribers: subscribers(at: Life.time(day)))
    }

    @Test("are the same by a worker, by explain and by hand, at three times")
    func agreement() throws {
        let templates = try Self.templates()
        var decided: [String: [String?: Int]] = [:]
        for (now, subscribers) in Self.moments {
            #expect(subscribers.count == 1_000)
            for template in templates {
                let bound = try BoundTemplate(template, subscribers.map { (key: $0.key, values: $0.built) })
                for subscriber in subscribers {
                    let byHand = subscriber.byHand(template.name, at: now)
                    let (worker, explained) = bound.decisions(
                        subscriber.key,
                        product: subscriber.product,
                        at: now
                    )
                    #expect(worker == byHand, "\(template.name) for \(subscriber.key) at \(now)")
                    #expect(explained == byHand, "\(template.name) for \(subscriber.key) at \(now)")
                    decided[template.name, default: [:]][byHand.rule, default: 0] += 1
                }
            }
        }
        for template in templates {
            let counts = decided[template.name] ?? [:]
            print("figures: decisions of \(template.name): \(counts)")
            // With other seeds, a rule for few subscribers may be for none.
            guard !Self.hasOtherSeed else { continue }
            #expect(Set(counts.keys) == Set(template.model.rules.map { $0.id } + [nil]), "\(template.name)")
        }
    }

    /// True when the programs decide for many subscribers of each template, and not only for one of each decision.
    private static let runsLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"

    /// True when the random subscribers are not those of the gate.
    private static let hasOtherSeed = runsLong || ProcessEnvironment.value(of: "TEST_SEED") != nil

    /// Subscribers of a template: one for each decision, or many.
    private static func sample(_ subscribers: [Subscriber], _ template: Template, at now: Int64)
        -> [Subscriber]
    {
        var chosen: [Decided: Subscriber] = [:]
        for subscriber in subscribers {
            let decided = subscriber.byHand(template.name, at: now)
            if chosen[decided] == nil { chosen[decided] = subscriber }
        }
        return chosen.values.sorted { $0.key < $1.key } + (runsLong ? Array(subscribers.prefix(200)) : [])
    }

    @Test("are the same by the programs retentionctl and retentiond, at three times", arguments: days.indices)
    func programs(index: Int) throws {
        let folder = try TemporaryDirectory()
        let daemon = try DaemonAsCGI(in: folder)
        let tool = try ProgramRun.product("retentionctl")
        let (now, subscribers) = Self.moments[index]
        for template in try Self.templates() {
            let rows = subscribers.map { (key: $0.key, values: $0.built) }
            try folder.write(template.bytes, to: "data/app.rules")
            try folder.write(try template.facts(rows), to: "data/app.facts")
            for subscriber in Self.sample(subscribers, template, at: now) {
                let byHand = subscriber.byHand(template.name, at: now)
                let explained = try ProgramRun.run(
                    tool,
                    [
                        "explain", folder.path(of: "data/app.rules"), "--product", subscriber.product,
                        "--transaction", "\(subscriber.key)", "--facts", folder.path(of: "data/app.facts"),
                        "--at", "\(now)",
                    ]
                )
                let identifier = try template.identifier(of: byHand)
                let answer = explained.output.split(separator: "\n").last.map(String.init) ?? ""
                #expect(
                    answer.contains(identifier),
                    "\(template.name): \(explained.output)\(explained.errors)"
                )
                // The daemon decides for the present, so the days since the last offer are those until now.
                let before = subscriber.byHand(template.name, at: Clock.wallMilliseconds())
                let served = try daemon.answer(subscriber.key, product: subscriber.product)
                let after = subscriber.byHand(template.name, at: Clock.wallMilliseconds())
                let expected = try [before, after].map { try template.identifier(of: $0) }
                #expect(expected.contains { served.contains($0) }, "\(template.name): \(served)")
            }
        }
    }
}

extension Template {
    /// Apple's identifier of the message of a decision.
    fileprivate func identifier(of decided: Decided) throws -> String {
        let message = try #require(model.messages.first { $0.name == decided.message })
        return try #require(message.identifiers.first).identifier.description
    }
}

/// The daemon, which answers one request for each run.
private struct DaemonAsCGI {
    private let folder: TemporaryDirectory
    private let program: String
    private let forge: ZooForge

    init(in folder: TemporaryDirectory) throws {
        self.folder = folder
        program = try ProgramRun.product("retentiond")
        forge = try ZooForge(now: Clock.wallMilliseconds())
        try folder.makeDirectory("data")
        try folder.makeDirectory("state", permissions: 0o700)
        try folder.write(forge.trusted.chain.root.pem, to: "anchor.pem")
        try folder.write(try SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        try folder.write(
            """
            {"listen": "unix:\(folder.path(of: "pool.sock"))", "listenGroup": "\(Credentials.current.groupID)",
             "dataDirectory": "\(folder.path(of: "data"))", "stateDirectory": "\(folder.path(of: "state"))",
             "pidFile": "\(folder.path(of: "pool.pid"))", "anchors": ["\(folder.path(of: "anchor.pem"))"],
             "maxSignedAgeSeconds": 3600, "deadlineMilliseconds": 10000,
             "apps": [{"appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app",
               "environments": ["Production"], "signingKeyId": "KEY",
               "signingKeys": [{"keyId": "KEY", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
                 "file": "\(folder.path(of: "key.p8"))"}]}]}
            """,
            to: "retentiond.json"
        )
    }

    /// Returns what the daemon writes for a request of a subscriber.
    func answer(_ key: UInt64, product: String) throws -> String {
        let payload = TestPayload.request(signedDate: Clock.wallMilliseconds())
            .setting("originalTransactionId", "\"\(key)\"").setting("productId", "\"\(product)\"")
        let body = try forge.body(payload)
        let run = try ProgramRun.run(
            program,
            ["--allow-root", "--config", folder.path(of: "retentiond.json"), "--cgi"],
            input: body,
            environment: [
                "GATEWAY_INTERFACE=CGI/1.1", "REQUEST_METHOD=POST", "CONTENT_TYPE=application/json",
                "CONTENT_LENGTH=\(body.count)", "RETENTION_ENDPOINT=retention-message",
            ]
        )
        return run.output + run.errors
    }
}
