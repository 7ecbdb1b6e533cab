@testable import Effect
import NotificationStore
import SQL
import Support
import System
import Testing

/// The logs of two hosts lie in `Logs`: `a` has a missing number, a cut line, and records of Sandbox; `b` a request that the
/// other host answered, too, lines of something else, and a worker that was killed.
@Suite("Reading decision logs")
struct DecisionImportTests {
    private let folder: TemporaryDirectory
    private let a: [UInt8]
    private let b: [UInt8]

    init() throws {
        folder = try TemporaryDirectory()
        let logs = "\(SourceFile.root)/Tests/Effect/Logs"
        (a, b) = (try SourceFile.read("\(logs)/a.ndjson"), try SourceFile.read("\(logs)/b.ndjson"))
    }

    private func store(_ name: String = "store.db") throws -> NotificationStore {
        try NotificationStore(
            StoreAddress("sqlite:\(folder.path(of: name))"), StoreOptions(access: .create))
    }

    /// Writes a file and reads it. Returns what the import says.
    @discardableResult
    private func add(_ bytes: some Sequence<UInt8>, _ name: String, to store: NotificationStore) throws
        -> DecisionImportReport
    {
        try folder.write(Array(bytes), to: name)
        return try DecisionImport.run([folder.path(of: name)], into: store)
    }

    private func gzip(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
        try folder.write(Array(bytes), to: "plain")
        let search = ProcessEnvironment.value(of: "PATH") ?? ""
        let path = try #require(Subprocess.path(of: "gzip", searchPath: search))
        return try Subprocess(
            executable: path, arguments: ["gzip", "-c", folder.path(of: "plain")], environment: []
        ).run().output
    }

    /// Everything that the store has of the logs.
    private func text(_ store: NotificationStore) throws -> String {
        var lines: [String] = []
        for environment in ["Production", "Sandbox"] {
            let app: Int64 = 6_745_974_591
            let logged = try store.loggedExperiments(app: app, environment: environment)
            for (digest, experiments) in logged.sorted(by: { $0.key < $1.key }) {
                lines.append("rules \(digest.prefix(4)) of \(environment)")
                for draw in EffectDraw.all(experiments) {
                    let experiment = draw.experiment
                    lines.append(
                        "  \(experiment.rule ?? "-") \(experiment.salt) \(draw.unit) \(draw.until ?? 0) "
                            + Self.text(draw))
                }
            }
            for decision in try store.decisions(app: app, environment: environment).decisions {
                lines.append(
                    "\(decision.subscriber) \(decision.signedAt) \(decision.requestIdentifier) "
                        + "\(decision.digest.prefix(4)) \(decision.product.debugDescription) \(decision.served)"
                )
                let draws = decision.draws
                lines.append(
                    "  " + (draws.isHeldOut ? "held out" : draws.isDrawn ? "treated" : "not drawn")
                        + draws.rules.map { ", \($0.rule) \($0.arm ?? "-") \($0.step ?? "served")" }.joined())
            }
        }
        for instance in try store.decisionInstances() {
            lines.append(
                "instance \(instance.name) \(instance.identifierKey ?? "-") "
                    + instance.digests.sorted().map { $0.prefix(4) }.joined(separator: " ")
                    + " from \(instance.firstAt ?? 0) to \(instance.lastAt ?? 0)")
            lines.append(
                "  \(instance.presentCount) present, \(instance.missingCount) missing, "
                    + (instance.lastSequence.map { "ended at \($0)" } ?? "no end"))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func text(_ draw: EffectDraw) -> String {
        switch draw.experiment.kind {
        case .holdout: "holdout \(draw.arms[0].share)"
        case .rollout: "rollout \(draw.arms[1].share)"
        case .arms: "arms " + draw.arms.map { "\($0.name) \($0.share)" }.joined(separator: ", ")
        }
    }

    @Test("keeps the first decisions, the experiments, and which records of each worker are missing")
    func contents() throws {
        let store = try store()
        let reports = [try add(a, "a", to: store), try add(b, "b", to: store)]
        #expect(reports.map(\.recordCount) == [7, 5] && reports.map(\.brokenLineCount) == [1, 2])
        try GoldenFile.check(try text(store), "Tests/Effect/Golden/decisions.txt")
    }

    @Test("gives the same on PostgreSQL")
    func postgreSQL() throws {
        let address = try StoreAddress(PostgreSQLServer.shared().makeSchema())
        let store = try NotificationStore(address, StoreOptions(access: .create))
        try add(b, "b", to: store)
        try add(a, "a", to: store)
        try GoldenFile.check(try text(store), "Tests/Effect/Golden/decisions.txt")
    }

    @Test("gives the same in any order, in parts of any size, twice, together, and by gzip")
    func order() throws {
        let first = try store()
        try add(a, "a", to: first)
        try add(b, "b", to: first)
        let expected = try text(first)
        for (number, bytes) in [b + a, a + b, b + a + b].enumerated() {
            let store = try store("together-\(number)")
            try add(bytes, "all", to: store)
            #expect(try text(store) == expected)
        }
        let packed = try store("packed")
        try add(gzip(b), "b.gz", to: packed)
        try add(gzip(a) + gzip(b), "a.gz", to: packed)
        #expect(try text(packed) == expected)
        let small = try store("small")
        var reading = DecisionImport(into: small, batchCount: 1)
        for name in ["b", "a"] { try reading.read(folder.path(of: name)) }
        #expect(try reading.finish().recordCount == 12)
        #expect(try text(small) == expected)
    }

    @Test("goes on where a log ended, also when it was renamed, packed or cut in the middle of a line")
    func growing() throws {
        let whole = try store("whole")
        try add(a, "a", to: whole)
        let store = try store()
        var count = 0
        for length in [0, 100, a.count / 3, a.count / 2, a.count / 2] {
            count += try add(a.prefix(length), "log", to: store).recordCount
        }
        #expect(count > 0)
        count += try add(gzip(a.prefix(a.count * 3 / 4)), "log.1.gz", to: store).recordCount
        count += try add(a, "log.1", to: store).recordCount
        // Each record was read once.
        #expect(count == 7)
        #expect(try add(gzip(a), "log.2.gz", to: store).recordCount == 0)
        #expect(try add(a, "log.2", to: store).recordCount == 0)
        #expect(try text(store) == text(whole))
    }

    @Test("reads a log anew that has other lines where it ended")
    func replaced() throws {
        let store = try store()
        let lines = a.split(separator: 0x0A).map { Array($0) + [0x0A] }
        try add(lines[..<5].joined(), "a", to: store)
        #expect(try add((lines[..<4] + lines[5...]).joined(), "a", to: store).recordCount == 6)
        let whole = try self.store("whole")
        try add(a, "a", to: whole)
        #expect(try text(store) == text(whole))
    }

    @Test("tells logs apart that begin with the same lines about rules and are of the same size")
    func sameRules() throws {
        let store = try store()
        let lines = a.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) + "\n" }
        let other = lines[3].replacing("\"sequence\":1,", with: "\"sequence\":3,")
            .replacing("000000000001", with: "000000000003").replacing("e8bc163c", with: "e8bc163d")
        let logs = [lines[3], other].map { lines[..<3].joined() + $0 }
        #expect(logs[0] != logs[1] && logs[0].utf8.count == logs[1].utf8.count)
        for count in [1, 0, 0] {
            for (number, log) in logs.enumerated() {
                #expect(try add(log.utf8, "log.\(number)", to: store).recordCount == count)
            }
        }
        #expect(try store.decisions(app: 6_745_974_591, environment: "Production").decisions.count == 2)
    }

    @Test("refuses what gzip cannot unpack, and a file without lines")
    func unusable() throws {
        let store = try store()
        #expect(throws: DecisionImportError.self) {
            try add(gzip(b + a).dropLast(20), "b.gz", to: store)
        }
        #expect(throws: DecisionImportError.self) {
            try add([UInt8](repeating: 0x20, count: 3 << 20), "spaces", to: store)
        }
        let missing = folder.path(of: "missing")
        let error = #expect(throws: DecisionImportError.self) {
            try DecisionImport.run([missing], into: store)
        }
        #expect(error?.description.hasPrefix(missing) == true)
        // What was whole is read when the file is.
        #expect(try add(gzip(b + a), "b.gz", to: store).recordCount == 12)
    }
}
