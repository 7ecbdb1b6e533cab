import DataFileWriting
import DataFiles
import HTTPLoad
import JSON
import Support
import System
import Testing
import Vocabulary

extension EndToEnd {
    /// Two apps with opposite rules. The first serves nothing for one product and a message for all others; the second
    /// serves a message for that product and nothing for all others.
    @Suite("Several apps in one pool")
    struct SeveralAppsTests {
        private static let first = "12e6970f-0000-4000-8000-0000000000a1"
        private static let second = "12e6970f-0000-4000-8000-0000000000a2"

        @Test("each app has its own answers, records and status, also when one app's rules change")
        func separate() throws {
            let folder = try TemporaryDirectory()
            defer { LogAudit.check(folder) }
            // The pool writes here, whatever user it runs as.
            try Directory.setPermissions(path: folder.path, to: 0o777)
            let options = TesterOptions().with {
                $0.configuration.append(("log", #"{"decisions": "\#(folder.path(of: "d.ndjson"))"}"#))
                $0.startsDaemon = false
            }
            try Tester.run(options) { tester in
                try TestRules.old.push(to: tester)
                try Self.push(Self.first, revision: "first", to: tester)
                try tester.startDaemon()
                var expected: [String: Int] = [:]
                try Self.ask(tester, folder, message: Self.first, revision: "first", &expected)
                let workers = Set(try tester.workers)
                try Self.push(Self.second, revision: "second", to: tester)
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload accepted"))
                let isReplaced = Patience.wait(seconds: 60) {
                    let now = (try? tester.workers) ?? []
                    return now.count == 2 && workers.isDisjoint(with: now)
                }
                try #require(isReplaced, "\(tester.daemonLog)")
                try Self.ask(tester, folder, message: Self.second, revision: "second", &expected)
            }
        }

        /// Sends 160 requests of each kind, mixed, and checks the answers, all records so far and the status page.
        private static func ask(
            _ tester: Tester, _ folder: TemporaryDirectory, message: String, revision: String,
            _ expected: inout [String: Int]
        ) throws {
            let plan = LoadPlan(port: tester.plainPort, connections: 8, requests: try requests(tester)).with {
                $0.requestLimit = 640
            }
            let report = LoadClient(plan).run()
            let main = LoadAnswer(status: 200, body: TestRules.old.answer)
            let strict = LoadAnswer(status: 200, body: #"{"message":{"messageIdentifier":"\#(message)"}}"#)
            #expect(report.answers[main] == 160, "\(report)")
            #expect(report.answers[strict] == 160, "\(report)")
            #expect(report.count(status: 503) == 320, "\(report)")
            let (one, other) = (TestPayload.appAppleId, TestPayload.strictAppAppleId)
            let silent = TestPayload.silentProduct
            expected["\(one) pro_monthly - \(TestRules.old.rawValue)", default: 0] += 160
            expected["\(one) \(silent) silent -", default: 0] += 160
            expected["\(other) pro_monthly - -", default: 0] += 160
            expected["\(other) \(silent) speaks \(message)", default: 0] += 160
            // A worker writes its records after the answers.
            let all = expected
            let wanted = all.values.reduce(0, +)
            let isWritten = Patience.wait(seconds: 60) {
                (try? records(folder).values.reduce(0, +)) == wanted
            }
            let found = try records(folder)
            #expect(isWritten && found == all, "\(found)")
            let page = try #require(tester.get("/retention-status?json")?.body)
            try check(page, revision: revision, requests: Int64(wanted))
        }

        private static func check(_ text: String, revision: String, requests: Int64) throws {
            let limits = JSONLimits(byteCount: 1 << 20, depth: 8)
            let root = try JSONDocument(parsing: Array(text.utf8).span, limits: limits).root
            let files = try #require(root.member("rules")?.elements).map { file in
                let app = file.member("appAppleId")?.int64 ?? 0
                return [file.member("name")?.string ?? "", "\(app)", file.member("revision")?.string ?? ""]
            }
            let expected = [
                ["app.rules.json", "\(TestPayload.appAppleId)", ""],
                ["strict.rules.json", "\(TestPayload.strictAppAppleId)", revision],
            ]
            #expect(files.sorted { $0[0] < $1[0] } == expected)
            #expect(root.member("requests")?.int64 == requests)
            #expect(root.member("answers_decided")?.int64 == requests / 2)
            #expect(root.member("answers_none")?.int64 == requests / 2)
        }

        /// 64 requests that alternate between the two apps, with both products for each app.
        private static func requests(_ tester: Tester) throws -> [[UInt8]] {
            var requests: [[UInt8]] = []
            for number in 0..<64 {
                var payload = TestPayload.request(signedDate: tester.forge.now, identifier: number + 1)
                if number % 4 > 1 {
                    payload = payload.setting("productId", "\"\(TestPayload.silentProduct)\"")
                }
                let isStrict = number % 2 == 1
                if isStrict { payload = payload.setting("appAppleId", "\(TestPayload.strictAppAppleId)") }
                let signer = isStrict ? tester.forge.strict : tester.forge.trusted
                requests.append(RequestText.post(TestTraffic.path, try signer.body(payload)))
            }
            return requests
        }

        /// Counts the records of each app, product, rule and message.
        private static func records(_ folder: TemporaryDirectory) throws -> [String: Int] {
            var counts: [String: Int] = [:]
            for root in try DecisionLines("d.ndjson", in: folder).records {
                let app = root.member("app")?.int64 ?? 0
                let product = root.member("product")?.string ?? "-"
                let rule = root.member("rule")?.string ?? "-"
                let message = root.member("served")?.member("messageIdentifier")?.string ?? "-"
                counts["\(app) \(product) \(rule) \(message)", default: 0] += 1
            }
            return counts
        }

        private static func push(_ message: String, revision: String, to tester: Tester) throws {
            guard let identifier = UUID(message) else { throw Complaint("\(message) is not a UUID") }
            var model = RulesModel(
                appAppleId: TestPayload.strictAppAppleId, bundleId: "com.example.strict",
                environment: .production)
            model.metadata = [.init(key: "revision", value: revision)]
            model.lastLocale = "en-US"
            let text = RulesModel.Message(
                name: "value", kind: .text, identifiers: [.init(locale: "en-US", identifier: identifier)])
            model.messages = [text]
            var rule = RulesModel.Rule(id: "speaks", outcome: .message(0))
            rule.condition = .equal(.productId, .string(TestPayload.silentProduct))
            model.rules = [rule]
            model.defaultOutcome = .nothing
            try AtomicFile.write(model.pushed.span, to: tester.folder.path(of: "data/strict.rules.json"))
        }
    }
}
