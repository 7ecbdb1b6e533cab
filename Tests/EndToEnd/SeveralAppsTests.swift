import HTTPLoad
import JSON
import Support
import System
import Testing

extension EndToEnd {
    /// Two apps with opposite rules. The first serves nothing for one product and a message for all others; the second
    /// serves a message for that product and nothing for all others.
    @Suite("Several apps in one pool")
    struct SeveralAppsTests {
        @Test("each app has its own answers, records and status, also when one app's rules change")
        func separate() throws {
            try DecisionRecordTests.run(startsDaemon: false) { tester, folder in
                try TestRules.old.push(to: tester)
                try Self.push("12e6970f-0000-4000-8000-0000000000a1", revision: "first", to: tester)
                try tester.startDaemon()
                try Self.ask(
                    tester, folder, message: "12e6970f-0000-4000-8000-0000000000a1", revision: "first",
                    round: 1)
                let workers = try tester.workers
                try Self.push("12e6970f-0000-4000-8000-0000000000a2", revision: "second", to: tester)
                try tester.reload()
                try tester.awaitOthers(than: workers)
                try Self.ask(
                    tester, folder, message: "12e6970f-0000-4000-8000-0000000000a2", revision: "second",
                    round: 2)
            }
        }

        /// Sends 160 requests of each of four kinds, mixed, and checks the answers, all records so far and the status page.
        private static func ask(
            _ tester: Tester, _ folder: TemporaryDirectory, message: String, revision: String, round: Int
        ) throws {
            let plan = LoadPlan(port: tester.plainPort, connections: 8, requests: try requests(tester)).with {
                $0.requestLimit = 640
            }
            let report = LoadClient(plan).run()
            for body in [TestRules.old.answer, #"{"message":{"messageIdentifier":"\#(message)"}}"#] {
                #expect(report.answers[LoadAnswer(status: 200, body: body)] == 160, "\(report)")
            }
            #expect(report.count(status: 503) == 320, "\(report)")
            // A worker writes its records after the answers.
            var counts: [String: Int] = [:]
            let isWritten = Patience.wait(seconds: 60) {
                counts = (try? records(folder)) ?? [:]
                return counts.values.reduce(0, +) == 640 * round
            }
            let (one, other) = (TestPayload.appAppleId, TestPayload.strictAppAppleId)
            #expect(isWritten, "\(counts)")
            #expect(counts["\(one) pro_monthly \(TestRules.old.rawValue)"] == 160 * round, "\(counts)")
            #expect(counts["\(one) \(TestPayload.silentProduct) -"] == 160 * round, "\(counts)")
            #expect(counts["\(other) pro_monthly -"] == 160 * round, "\(counts)")
            #expect(counts["\(other) \(TestPayload.silentProduct) \(message)"] == 160, "\(counts)")
            #expect(try tester.status("requests") == Int64(640 * round))
            #expect(try tester.status("answers_decided") == Int64(320 * round))
            #expect(tester.get("/retention-status?json")?.body.contains("\"\(revision)\"") == true)
        }

        /// 64 requests that alternate between the two apps, with both products for each app.
        private static func requests(_ tester: Tester) throws -> [[UInt8]] {
            try (0..<64).map { number in
                var payload = TestPayload.request(signedDate: tester.forge.now, identifier: number + 1)
                if number % 4 > 1 {
                    payload = payload.setting("productId", "\"\(TestPayload.silentProduct)\"")
                }
                let isStrict = number % 2 == 1
                if isStrict { payload = payload.setting("appAppleId", "\(TestPayload.strictAppAppleId)") }
                let signer = isStrict ? tester.forge.strict : tester.forge.trusted
                return RequestText.post(TestTraffic.path, try signer.body(payload))
            }
        }

        /// Counts the records of each app, product and message.
        private static func records(_ folder: TemporaryDirectory) throws -> [String: Int] {
            var counts: [String: Int] = [:]
            for root in try DecisionLines(DecisionRecordTests.name, in: folder).records {
                let message = root.member("served")?.member("messageIdentifier")?.string ?? "-"
                let product = root.member("product")?.string ?? "-"
                counts["\(root.member("app")?.int64 ?? 0) \(product) \(message)", default: 0] += 1
            }
            return counts
        }

        private static func push(_ message: String, revision: String, to tester: Tester) throws {
            let rule =
                #"{"id": "speaks", "when": {"fact": "productId", "eq": "\#(TestPayload.silentProduct)"}, "#
                + #""serve": {"message": "value"}}"#
            let rules = TestRules.text(
                ["value": message],
                #""metadata": {"revision": "\#(revision)"}, "rules": [\#(rule)], "default": {"serve": "none"}"#,
                app: TestPayload.strictAppAppleId, bundleId: "com.example.strict")
            try AtomicFile.write(rules.span, to: tester.folder.path(of: "data/strict.rules.json"))
        }
    }
}
