import Cryptography
@testable import Effect
@testable import Lives
import NotificationStore
@testable import Pool
import Reply
import Rules
@testable import SignedPayloads
import Support
import System
import Testing

/// A store with the notifications of a world, and the decision logs of its hosts.
struct EffectBed {
    enum Database: CaseIterable {
        case sqlite
        case postgreSQL
    }

    let world: EffectWorld
    let store: NotificationStore
    private let address: String
    private let folder: TemporaryDirectory

    init(_ world: EffectWorld, _ database: Database = .sqlite) throws {
        self.world = world
        folder = try TemporaryDirectory()
        address =
            switch database {
            case .sqlite: "sqlite:\(folder.path(of: "store.db"))"
            case .postgreSQL: try PostgreSQLServer.shared().makeSchema()
            }
        var options = StoreOptions(access: .create)
        options.waitsForDisk = false
        store = try NotificationStore(StoreAddress(address), options)
    }

    /// Stores everything, some of it twice and late, and imports the logs, each in parts and the last one twice.
    func deliver(_ generator: inout SeededGenerator, changing change: LogChange = LogChange()) throws {
        let items = try store.rememberSynchronizations(among: world.deliveries).shuffled(using: &generator)
        for start in stride(from: 0, to: items.count, by: 500) {
            let some = items[start..<min(start + 500, items.count)]
            let again = items[..<start].shuffled(using: &generator).prefix(20)
            #expect(store.store(Array(some) + again).allSatisfy { $0.isSettled })
        }
        var paths: [String] = []
        for (name, lines) in try world.logs(change) {
            let half = lines.count / 2
            for (number, part) in [lines[..<half], lines[half...]].enumerated() where !part.isEmpty {
                try folder.write(part.joined(), to: "\(name).\(number)")
                paths.append(folder.path(of: "\(name).\(number)"))
            }
        }
        paths.shuffle(using: &generator)
        _ = try DecisionImport.run(paths + paths.prefix(1), into: store)
    }

    func cover(_ range: TimeRange) throws {
        try store.cover(
            app: DeliveryDesk.app, environment: DeliveryDesk.environment, range, finishedAt: range.to)
    }

    func sums(now: Int64) throws -> EffectSums {
        try EffectSums(
            store, app: DeliveryDesk.app, appAppleId: EffectWorld.appAppleId,
            environment: DeliveryDesk.environment, now: now, key: EffectWorld.key)
    }

    /// The report as a user gets it, in JSON.
    func report(now: Int64) throws -> String {
        try folder.write("\(EffectWorld.key.text)\n", to: "identifier.key", permissions: 0o600)
        try folder.write(
            """
            {"format": 1, "app": {"appAppleId": \(EffectWorld.appAppleId), "bundleId": "\(DeliveryDesk.app)"},
             "environment": "\(DeliveryDesk.environment)", "default": {"serve": "none"}}
            """, to: "rules.json")
        let run = try Tool.run([
            "report", "--rules", folder.path(of: "rules.json"), "--store", address, "--identifier-key",
            folder.path(of: "identifier.key"), "--now", "\(now)", "--json",
        ])
        #expect(run.status == 0, "\(run.errors)")
        return run.output
    }
}

/// What is wrong with the logs.
struct LogChange {
    /// The file of the first days, and the later one.
    var files = EffectWorld.files
    /// The rules by which the second host draws, whatever its file says.
    var rules: RulesFile?
    /// That of the second host, at least in the first days.
    var key = EffectWorld.key
    var hasKeyForever = true
    /// A line that is lost leaves a gap in the numbers.
    var losesLine: (EffectWorld.Request) -> Bool = { _ in false }
    var losesRequest: (EffectWorld.Request, Decision) -> Bool = { _, _ in false }
}

extension EffectWorld {
    /// The lines of each worker, as the service writes them: a worker for each host and rules file.
    func logs(_ change: LogChange) throws -> [(name: String, lines: [String])] {
        var logs: [(name: String, lines: [String])] = []
        for (place, file) in change.files.enumerated() {
            for host in 0...1 {
                let instance = "\(host)00000000000000\(place)"
                let hasKey = host == 1 && (place == 0 || change.hasKeyForever)
                let key = hasKey ? change.key : Self.key
                let pseudonyms = try key.pseudonyms()
                var lines = RulesLine.lines(
                    of: file, identifierKey: try key.fingerprintText(), instance: instance,
                    nowMilliseconds: Life.birth)
                var sequence: UInt64 = 0
                for request in requests
                where request.host == host && (request.at < Self.changedAt) == (place == 0) {
                    let decision = decision(request, by: host == 1 ? change.rules ?? file : file)
                    if change.losesRequest(request, decision) { continue }
                    sequence += 1
                    if change.losesLine(request) { continue }
                    lines.append(line(request, decision, file, instance, sequence, pseudonyms))
                }
                lines.append("{\"end\":\"\(instance)\",\"sequence\":\(sequence)}\n")
                logs.append((instance, lines))
            }
        }
        return logs
    }

    private func line(
        _ request: Request, _ decision: Decision, _ file: RulesFile, _ instance: String, _ sequence: UInt64,
        _ pseudonyms: SubscriberPseudonyms
    ) -> String {
        let asked = RealtimeRequest(
            originalTransactionId: Self.id(request.subscriber), appAppleId: Self.appAppleId,
            productId: request.product, userLocale: "en-US",
            requestIdentifier: UUID(high: UInt64(request.subscriber), low: UInt64(request.at)),
            environment: .production, signedDate: request.at)
        let served = SignedOutcome(unsigned: decision.outcome, in: file)
        let record = DecisionRecord(
            decision: decision, served: served.map(DecisionRecord.Served.init), asked: asked, rules: file,
            nowMilliseconds: request.at, timing: RequestTiming(), sequence: sequence)
        var text = TextBuffer(reservingByteCount: 1024)
        record.append(instance: instance, pseudonyms, to: &text)
        return text.string
    }
}
