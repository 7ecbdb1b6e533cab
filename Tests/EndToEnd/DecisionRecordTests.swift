import HTTPLoad
import JSON
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Decision records")
    struct DecisionRecordTests {
        @Test("are one whole line for each answer, also while the file is rotated and workers change")
        func rotation() throws {
            let folder = try TemporaryDirectory()
            defer { LogAudit.check(folder) }
            // The pool writes here, whatever user it runs as.
            try Directory.setPermissions(path: folder.path, to: 0o777)
            let path = folder.path(of: "decisions.ndjson")
            let options = TesterOptions().with {
                $0.configuration = [("log", #"{"decisions": "\#(path)"}"#)]
            }
            try Tester.run(options) { tester in
                let report = try tester.underLoad { client in
                    for round in 1...5 {
                        let seen = client.answered
                        #expect(Patience.wait(seconds: 60) { client.answered > seen + 200 })
                        try Directory.rename(path, to: "\(path).\(round)")
                        try tester.daemon.send(.user1)
                        #expect(Patience.wait(seconds: 60) { (try? FileStatus(path: path)) != nil })
                        if round == 3 {
                            try TestRules.new.push(to: tester)
                            try tester.daemon.send(.hangup)
                            #expect(try tester.daemon.waitForLog("reload accepted"))
                        }
                    }
                }
                #expect(report.failures == 0, "\(report)")
                // The workers write the last records some milliseconds after the answers.
                let names = ["decisions.ndjson"] + (1...5).map { "decisions.ndjson.\($0)" }
                let count = { () throws -> Int in
                    try names.reduce(0) { try $0 + Self.records(folder.read($1)).count }
                }
                let answers = report.answers.values.reduce(0, +)
                let isComplete = Patience.wait(seconds: 60) { (try? count()) == answers }
                let found = try count()
                #expect(isComplete, "\(found) of \(answers)")
                try Self.check(names, in: folder)
            }
        }

        /// Expects that every line is a whole record, that no record has a subscriber's identifier, and that the
        /// records have the messages of both generations.
        private static func check(_ names: [String], in folder: TemporaryDirectory) throws {
            var served: Set<String> = []
            for name in names {
                for root in try records(folder.read(name)) {
                    try #require(root.member("subscriber")?.string?.utf8.count == 32)
                    if let identifier = root.member("served")?.member("messageIdentifier")?.string {
                        served.insert(identifier)
                    }
                }
                let text = String(decoding: try folder.read(name), as: UTF8.self)
                // The identifiers of the test's requests begin so.
                #expect(!text.contains("\"20000000"))
            }
            #expect(served == Set(TestRules.allCases.map(\.rawValue)))
        }

        /// The lines that are not marks.
        private static func records(_ text: [UInt8]) throws -> [JSONValue] {
            try text.split(separator: UInt8(ascii: "\n")).map { line in
                let limits = JSONLimits(byteCount: 4096, depth: 8)
                return try JSONDocument(parsing: Array(line).span, limits: limits).root
            }.filter { $0.member("mark") == nil }
        }

        @Test("are numbered without a gap, also when workers die and another binary takes over")
        func sequence() throws {
            let folder = try TemporaryDirectory()
            defer { LogAudit.check(folder) }
            try Directory.setPermissions(path: folder.path, to: 0o777)
            let options = TesterOptions().with {
                $0.configuration = [("log", #"{"decisions": "\#(folder.path(of: "d.ndjson"))"}"#)]
            }
            let numbers = {
                try Self.records(folder.read("d.ndjson")).compactMap { $0.member("sequence")?.int64 }
            }
            try Tester.run(options) { tester in
                for round in Int64(1)...4 {
                    let plan = try tester.load(connections: 8).with { $0.requestLimit = 100 }
                    #expect(LoadClient(plan).run().failures == 0)
                    // A worker writes the last records some milliseconds after the answers.
                    #expect(Patience.wait(seconds: 60) { (try? numbers().count) == Int(round) * 100 })
                    if round == 4 { break }
                    let victims = Set(try tester.workers)
                    if round == 3 {
                        try tester.daemon.send(.user2)
                        try #require(try tester.daemon.waitForLog("message=upgraded"))
                    } else {
                        for victim in victims { try Processes.send(.kill, to: victim) }
                    }
                    let isReplaced = Patience.wait(seconds: 60) {
                        let now = (try? tester.workers) ?? []
                        return now.count == 2 && victims.isDisjoint(with: now)
                    }
                    #expect(isReplaced, "\(tester.daemonLog)")
                }
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
            }
            #expect(try numbers().sorted() == Array(1...400))
            let text = String(decoding: try folder.read("d.ndjson"), as: UTF8.self)
            let lines = text.split(separator: "\n")
            #expect(lines.first?.contains(#""mark":"open""#) == true)
            #expect(lines.last?.contains(#""mark":"close""#) == true)
            #expect(lines.last?.contains(#""sequence":400,"#) == true)
            let instances = Set(text.matches(of: /"instance":"([0-9a-f]{16})"/).map { String($0.1) })
            #expect(instances.count == 1, "\(instances)")
        }

        @Test("are lost when the disk is full, but no answer is lost")
        func full() throws {
            let options = TesterOptions().with {
                $0.configuration = [("log", #"{"decisions": "/dev/full"}"#)]
            }
            try Tester.run(options) { tester in
                let report = LoadClient(try tester.load(connections: 8).with { $0.requestLimit = 500 }).run()
                #expect(report.failures == 0 && report.count(status: 200) == 500, "\(report)")
                // A worker counts a record when it tries to write it, which is after the answer.
                let page = { tester.get("/retention-status?json")?.body ?? "" }
                let isCounted = Patience.wait(seconds: 60) {
                    page().firstMatch(of: /"decisions_dropped": ?500[,\n}]/) != nil
                }
                #expect(isCounted, "\(page())")
            }
        }
    }
}
