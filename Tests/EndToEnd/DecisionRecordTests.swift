import JSON
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Decision records")
    struct DecisionRecordTests {
        @Test("there is one whole line for each answer, also while the file is rotated and workers change")
        func rotation() throws {
            let folder = try TemporaryDirectory()
            // The pool's user writes here, whoever that is.
            try Directory.setPermissions(path: folder.path, to: 0o777)
            let path = folder.path(of: "decisions.ndjson")
            let options = TesterOptions().with {
                $0.configuration = [("log", #"{"decisions": "\#(path)"}"#)]
            }
            try Tester.run(options) { tester in
                let report = try tester.underLoad { client in
                    for round in 1...5 {
                        let seen = client.answered
                        #expect(Patience.wait(seconds: 10) { client.answered > seen + 200 })
                        try Directory.rename(path, to: "\(path).\(round)")
                        try tester.daemon.send(.user1)
                        #expect(Patience.wait(seconds: 10) { (try? FileStatus(path: path)) != nil })
                        if round == 3 {
                            try TestRules.new.push(to: tester)
                            try tester.daemon.send(.hangup)
                            #expect(try tester.daemon.waitForLog("reload accepted"))
                        }
                    }
                }
                #expect(report.failures == 0, "\(report)")
                // The last workers write what they have before they wait.
                let names = ["decisions.ndjson"] + (1...5).map { "decisions.ndjson.\($0)" }
                let count = { () throws -> Int in
                    try names.reduce(0) { sum, name in
                        try sum + folder.read(name).count { $0 == UInt8(ascii: "\n") }
                    }
                }
                let answers = report.answers.values.reduce(0, +)
                let isComplete = Patience.wait(seconds: 5) { (try? count()) == answers }
                let found = try count()
                #expect(isComplete, "\(found) of \(answers)")
                try Self.check(names, in: folder)
            }
        }

        /// Every line is a whole record, no request is there twice, and no subscriber by name.
        private static func check(_ names: [String], in folder: TemporaryDirectory) throws {
            var served: Set<String> = []
            for name in names {
                for line in try folder.read(name).split(separator: UInt8(ascii: "\n")) {
                    let root = try JSONDocument(
                        parsing: Array(line).span,
                        limits: JSONLimits(byteCount: 4096, depth: 4)
                    ).root
                    try #require(root.member("subscriber")?.string?.utf8.count == 32)
                    if let identifier = root.member("served")?.member("messageIdentifier")?.string {
                        served.insert(identifier)
                    }
                }
                let text = String(decoding: try folder.read(name), as: UTF8.self)
                // Those of the test's requests.
                #expect(!text.contains("\"20000000"))
            }
            #expect(served == Set(TestRules.allCases.map(\.rawValue)))
        }

        @Test("a disk without room costs records, never an answer")
        func full() throws {
            let options = TesterOptions().with {
                $0.configuration = [("log", #"{"decisions": "/dev/full"}"#)]
            }
            try Tester.run(options) { tester in
                let report = LoadClient(try tester.load(connections: 8).with { $0.requestLimit = 500 }).run()
                #expect(report.failures == 0 && report.count(status: 200) == 500, "\(report)")
                // Each is counted when it is written, which is after its answer.
                let page = { tester.get("/retention-status?json")?.body ?? "" }
                let isCounted = Patience.wait(seconds: 10) {
                    page().firstMatch(of: /"decisions_dropped": ?500[,\n}]/) != nil
                }
                #expect(isCounted, "\(page())")
            }
        }
    }
}
