import HTTPLoad
import JSON
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Decision records")
    struct DecisionRecordTests {
        /// Runs a pool that writes its decision records into `decisions.ndjson` of a folder.
        static func run(
            workers: Int = 2, startsDaemon: Bool = true, _ body: (Tester, TemporaryDirectory) throws -> Void
        ) throws {
            let folder = try TemporaryDirectory()
            defer { LogAudit.check(folder) }
            // The pool writes here, whatever user it runs as.
            try Directory.setPermissions(path: folder.path, to: 0o777)
            let options = TesterOptions().with {
                $0.workers = workers
                $0.startsDaemon = startsDaemon
                $0.configuration = [("log", #"{"decisions": "\#(folder.path(of: name))"}"#)]
            }
            try Tester.run(options) { try body($0, folder) }
        }

        static let name = "decisions.ndjson"

        private static func dropped(_ tester: Tester) throws -> Int {
            Int(try tester.status("decisions_dropped") ?? -1)
        }

        @Test("are numbered without a gap by each worker, and a worker that ends says its last number")
        func sequence() throws {
            try Self.run { tester, folder in
                for round in 1...3 {
                    try tester.send(100)
                    let isWritten = Patience.wait(seconds: 60) {
                        let lines = try? DecisionLines(Self.name, in: folder)
                        return lines?.records.count == round * 100 && lines?.rules.count == round * 2
                    }
                    #expect(isWritten)
                    // The counters outlive the workers.
                    #expect(try tester.status("answers_decided") == Int64(round * 100))
                    let workers = try tester.workers
                    switch round {
                    case 1: for worker in workers { try Processes.send(.kill, to: worker) }
                    case 2:
                        try TestRules.new.push(to: tester)
                        try tester.daemon.send(.hangup)
                    default: continue
                    }
                    try tester.awaitOthers(than: workers)
                }
                try tester.stopDaemon()
                let lines = try DecisionLines(Self.name, in: folder)
                for (instance, numbers) in lines.sequences {
                    #expect(numbers == (1...Int64(numbers.count)).map { $0 }, "\(instance)")
                    let last = lines.lastNumbers[instance]
                    #expect(last == nil || last == Int64(numbers.count), "\(instance)")
                }
                // Two workers were killed, and so were the lines about their ends.
                let instances = lines.rules.compactMap { $0.member("instance")?.string }
                #expect(instances.count == 6 && Set(instances).count == 6, "\(instances)")
                #expect(Set(lines.lastNumbers.keys) == Set(instances.dropFirst(2)))
                // The workers of the last generation serve other rules.
                let digests = lines.rules.compactMap { $0.member("rules")?.string }
                #expect(Set(digests[..<4]).count == 1 && Set(digests[4...]).count == 1)
                #expect(digests[0] != digests[4] && digests[0].utf8.count == 64)
                #expect(lines.rules.allSatisfy { $0.member("app")?.int64 == TestPayload.appAppleId })
            }
        }

        /// Ends the pool.
        private static func millisecondsToEnd(_ tester: Tester) throws -> UInt64 {
            let start = Clock.monotonicNanoseconds()
            try tester.stopDaemon()
            return (Clock.monotonicNanoseconds() - start) / 1_000_000
        }

        @Test(
            "hold up no answer, no reload and no end while the disk hangs: what has no room is dropped and counted",
            arguments: PreloadedLibrary.DiskCall.allCases
        )
        func diskHangs(call: PreloadedLibrary.DiskCall) throws {
            let library = try PreloadedLibrary.hanging(
                call, ofProcess: "retentiond-log", to: ".ndjson", until: "/nowhere/at/all")
            try Self.run(workers: 1, startsDaemon: false) { tester, folder in
                try TestRules.old.push(to: tester)
                try tester.startDaemon(environment: [library.environment])
                // Some thousands have room.
                try tester.send(6000)
                let dropped = try Self.dropped(tester)
                #expect((1...5000).contains(dropped), "\(dropped)")
                #expect(try tester.daemon.waitForLog("code=decisions-dropped"))
                let former = try tester.workers
                try tester.daemon.send(.hangup)
                try tester.awaitOthers(than: former)
                try tester.send(20)
                #expect(try Self.millisecondsToEnd(tester) < 5000)
                #expect(tester.daemonLog.contains("left before all decision records were written"))
                // Nobody could make the file when it is its opening that hangs.
                #expect(try call == .open || DecisionLines(Self.name, in: folder).count == 0)
            }
        }

        @Test("are lost when the disk is full, but no answer is lost")
        func full() throws {
            let options = TesterOptions().with {
                $0.configuration = [("log", #"{"decisions": "/dev/full"}"#)]
            }
            try Tester.run(options) { tester in
                try tester.send(500)
                // A record counts when it could not be written, which is after the answer.
                #expect(Patience.wait(seconds: 60) { (try? Self.dropped(tester)) == 500 })
            }
        }
    }
}

/// The whole lines of decision logs, by kind. Throws when a line is not JSON or of no kind.
struct DecisionLines {
    private(set) var records: [JSONValue] = []
    /// What workers write when they begin to serve a rules file.
    private(set) var rules: [JSONValue] = []
    /// What workers write when they end.
    private(set) var ends: [JSONValue] = []

    var count: Int { records.count + rules.count + ends.count }

    init(_ texts: [[UInt8]]) throws {
        for line in texts.flatMap({ $0.split(separator: UInt8(ascii: "\n")) }) {
            let limits = JSONLimits(byteCount: 4096, depth: 8)
            let root = try JSONDocument(parsing: Array(line).span, limits: limits).root
            if root.member("requestIdentifier") != nil {
                records.append(root)
            } else if root.member("rules") != nil {
                rules.append(root)
            } else if root.member("end") != nil {
                ends.append(root)
            } else {
                throw Complaint("a line of no kind: \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    init(_ names: String..., in folder: TemporaryDirectory) throws {
        try self.init(names.map { try folder.read($0) })
    }

    /// The numbers of each worker's records, in the order of the log.
    var sequences: [String: [Int64]] {
        var found: [String: [Int64]] = [:]
        for record in records {
            let instance = record.member("instance")?.string ?? ""
            found[instance, default: []].append(record.member("sequence")?.int64 ?? 0)
        }
        return found
    }

    /// The last number of each worker that has written its end.
    var lastNumbers: [String: Int64] {
        var found: [String: Int64] = [:]
        for end in ends { found[end.member("end")?.string ?? ""] = end.member("sequence")?.int64 }
        return found
    }
}
