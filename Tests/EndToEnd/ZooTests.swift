import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("The zoo of requests behind nginx")
    struct ZooTests {
        @Test(
            "gets the status and the code of each row, and no worker dies",
            arguments: [nil, 64] as [Int?]
        )
        func zoo(keepalive: Int?) throws {
            let options = TesterOptions().with {
                $0.keepalive = keepalive
                $0.configuration = [
                    ("maxSignedAgeSeconds", "300"), ("slowMilliseconds", "1"),
                    ("log", #"{"level": "debug"}"#),
                ]
                // What nginx logs of each request must not hold a secret either.
                $0.nginxChanges = [
                    ("nginx.conf", "access_log    off;", "access_log logs/access.log combined;")
                ]
            }
            try Tester.run(options) { tester in
                let workers = try tester.workers
                #expect(workers.count == 2)
                for row in Zoo.bodies {
                    let request = RequestText.post(TestTraffic.path, try row.body(tester.forge))
                    check(Self.answer(to: request, tester), row.name, row.status, row.code)
                }
                for row in Zoo.transport {
                    let request = try row.request(tester.forge)
                    check(Self.answer(to: request, tester), row.name, row.status, row.code)
                }
                // Good and bad requests alternate on kept connections, so that a refusal that disturbs the next request
                // is seen.
                try checkInterleaved(tester)
                #expect(try tester.workers == workers, "a worker has died: \(tester.daemonLog)")
                #expect(try tester.ask() == TestRules.old.answer)
                let access = String(decoding: try tester.folder.read("nginx/logs/access.log"), as: UTF8.self)
                #expect(access.contains("\"POST /retention-message HTTP/1.1\" 200 "))
            }
        }

        @Test("does no harm with requests that break off in the middle")
        func cutOff() throws {
            try Tester.run { tester in
                let workers = try tester.workers
                let whole = RequestText.post(TestTraffic.path, try tester.forge.body(tester.forge.payload))
                for count in [1, 20, 60, 150, 1000, whole.count - 1] {
                    let part = Array(whole.prefix(count))
                    #expect(PlainAnswer.exchange(part, port: tester.plainPort, timeoutSeconds: 0.2) == nil)
                    #expect(try tester.ask() == TestRules.old.answer)
                }
                #expect(try tester.workers == workers)
            }
        }

        private func check(_ answer: PlainAnswer?, _ name: String, _ status: Int, _ code: String?) {
            guard let answer else {
                Issue.record("\(name): no answer")
                return
            }
            #expect(answer.status == status, "\(name): \(answer)")
            #expect(answer.code == code, "\(name): \(answer)")
            if status == 200 { #expect(answer.body == TestRules.old.answer, "\(name)") }
            if status == 405 { #expect(answer.header("Allow") == "POST", "\(name)") }
            if code != nil {
                #expect(answer.header("Content-Type") == "application/problem+json", "\(name)")
                #expect(answer.body.hasPrefix(#"{"status":\#(status),"title":""#), "\(name): \(answer)")
            }
        }

        /// Sends a request, and sends it again while the budget for unknown chains refuses it. That budget refills with
        /// time.
        private static func answer(to request: [UInt8], _ tester: Tester) -> PlainAnswer? {
            var answer: PlainAnswer?
            _ = Patience.wait(seconds: 60) {
                answer = PlainAnswer.exchange(request, port: tester.plainPort)
                return answer?.code != "chain-budget"
            }
            return answer
        }

        private func checkInterleaved(_ tester: Tester) throws {
            let bad = try Zoo.bodies.filter { $0.status != 200 && $0.code != "chain-invalid" }.map { row in
                RequestText.post(TestTraffic.path, try row.body(tester.forge))
            }
            let good = try TestTraffic.valid(tester.forge)
            let requests = bad.indices.flatMap { [bad[$0], good[$0 % good.count]] }
            let plan = LoadPlan(port: tester.plainPort, connections: 4, requests: requests)
                .with { $0.requestLimit = requests.count * 3 }
            let report = LoadClient(plan).run()
            #expect(report.unanswered == 0, "\(report)")
            let answers = report.answers[LoadAnswer(status: 200, body: TestRules.old.answer)]
            #expect(answers == bad.count * 3, "\(report)")
        }
    }
}
