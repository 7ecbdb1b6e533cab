import HTTPClient
import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Requests through nginx")
    struct RequestTests {
        @Test("are answered over TLS 1.2 and over TLS 1.3", arguments: ["TLSv1.2", "TLSv1.3"])
        func transport(version: String) throws {
            let changes = [(file: "nginx.conf", old: "TLSv1.2 TLSv1.3;", new: "\(version);")]
            try Tester.run(TesterOptions().with { $0.nginxChanges = changes }) { tester in
                var configuration = HTTPClientConfiguration()
                configuration.authoritiesFile = tester.folder.path(of: "nginx/server.pem")
                let client = try HTTPClient(configuration: configuration)
                let url = "https://localhost:\(tester.tlsPort)/retention-message"
                // The second request uses the kept connection.
                for isFirst in [true, false] {
                    let body = try tester.forge.body(tester.forge.payload)
                    let response = try client.perform(HTTPRequest.postJSON(body, to: url))
                    #expect(response.status == 200 && response.contentType == "application/json")
                    #expect(String(decoding: response.body, as: UTF8.self) == TestRules.old.answer)
                    #expect(response.timings.usedNewConnection == isFirst)
                }
            }
        }

        @Test(
            "are all answered, over kept and over new connections to the pool, over a unix socket and over TCP",
            arguments: [nil, 1, 64] as [Int?], [TesterOptions.Listen.unix, .internet]
        )
        func upstream(keepalive: Int?, listen: TesterOptions.Listen) throws {
            let options = TesterOptions().with {
                $0.keepalive = keepalive
                $0.listen = listen
            }
            try Tester.run(options) { tester in
                try tester.send(3000, connections: 128)
                #expect(tester.get("/retention-ping")?.body == "pong")
            }
        }

        @Test(
            "get the status and the code of each row of the zoo, and no worker dies",
            arguments: [nil, 64] as [Int?])
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
                for row in Zoo.bodies {
                    let request = RequestText.post(TestTraffic.path, try row.body(tester.forge))
                    check(Self.answer(to: request, tester), row.name, row.status, row.code)
                }
                for row in Zoo.transport {
                    check(
                        Self.answer(to: try row.request(tester.forge), tester), row.name, row.status, row.code
                    )
                }
                try checkInterleaved(tester)
                try checkHeaders(tester)
                try checkCutOff(tester)
                for path in ["/unknown", "/nothing"] {
                    let answer = tester.get(path)
                    #expect(answer?.status == 404 && answer?.code == "endpoint-unknown", "\(path)")
                }
                #expect(try tester.workers == workers, "a worker has died: \(tester.daemonLog)")
                #expect(try tester.ask() == TestRules.old.answer)
                let access = String(decoding: try tester.folder.read("nginx/logs/access.log"), as: UTF8.self)
                #expect(access.contains("\"POST /retention-message HTTP/1.1\" 200 "))
            }
        }

        private func check(_ answer: PlainAnswer?, _ name: String, _ status: Int, _ code: String?) {
            guard let answer else {
                Issue.record("\(name): no answer")
                return
            }
            #expect(answer.status == status && answer.code == code, "\(name): \(answer)")
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

        /// Good and bad requests alternate on kept connections, so that a refusal that disturbs the next request is seen.
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

        /// nginx passes the headers that the endpoint reads, and no others: neither many nor those that have the name of a
        /// parameter.
        private func checkHeaders(_ tester: Tester) throws {
            let body = try tester.forge.body(tester.forge.payload)
            let rows: [(headers: [String], status: Int)] = [
                ((0..<600).map { "x\($0): 1" }, 200), (["Content-Encoding: gzip"], 415),
                (["Retention-Endpoint: ping", "Request-Id: x"], 200),
            ]
            for (headers, status) in rows {
                let request = RequestText.post(TestTraffic.path, body, headers: headers)
                #expect(PlainAnswer.exchange(request, port: tester.plainPort)?.status == status, "\(headers)")
            }
        }

        private func checkCutOff(_ tester: Tester) throws {
            let whole = RequestText.post(TestTraffic.path, try tester.forge.body(tester.forge.payload))
            for count in [1, 150, whole.count - 1] {
                let part = Array(whole.prefix(count))
                #expect(PlainAnswer.exchange(part, port: tester.plainPort, timeoutSeconds: 0.2) == nil)
                #expect(try tester.ask() == TestRules.old.answer)
            }
        }

        @Test("are refused by nginx, in the pool's format and in time, when no worker answers; one is enough")
        func noWorker() throws {
            let options = TesterOptions().with {
                $0.startsDaemon = false
                // With kept connections, a request may come to the stopped worker.
                $0.keepalive = nil
                $0.deadlines = .shipped
            }
            try Tester.run(options) { tester in
                let body = try tester.forge.body(tester.forge.payload)
                func expectRefusal() {
                    let answer = tester.post(body)
                    #expect(answer?.status == 503 && answer?.code == "pool-unavailable")
                    #expect(answer?.header("Content-Type") == "application/problem+json")
                }
                expectRefusal()
                try TestRules.old.push(to: tester)
                try tester.startDaemon()
                let workers = try tester.workers
                defer { for worker in workers { try? Processes.send(.proceed, to: worker) } }
                for (number, worker) in workers.enumerated() {
                    try Processes.send(.stop, to: worker)
                    try #require(Patience.wait(seconds: 60) { ProcessTree.isStopped(worker) })
                    guard number == 0 else { continue }
                    for path in ["/retention-ping", "/retention-status?json", "/retention-metrics"] {
                        #expect(Patience.wait(seconds: 60) { tester.get(path)?.status == 200 }, "\(path)")
                    }
                    #expect(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.old.answer })
                }
                // The pool may have replaced the first by now.
                for worker in try tester.workers { try Processes.send(.stop, to: worker) }
                let start = Clock.monotonicNanoseconds()
                expectRefusal()
                let milliseconds = (Clock.monotonicNanoseconds() - start) / 1_000_000
                #expect(milliseconds >= 600, "nginx waits for an answer until its limit")
                // How soon nginx gives up is not measured: each of its limits ends while Apple still waits.
                let told = String(
                    decoding: try tester.folder.read("nginx/retentiond-pass.conf"), as: UTF8.self)
                let limits = told.matches(of: /(fastcgi_[a-z_]+_timeout) +([0-9]+)ms;/)
                #expect(limits.count == 4)
                for limit in limits { #expect(try #require(Int(limit.2)) <= 650, "\(limit.0)") }
            }
        }

        @Test("leak no descriptor and no memory")
        func soak() throws {
            let wanted = Programs.runsLong ? 1_000_000 : 20_000
            try Tester.run { tester in
                // Caches and buffers that are allocated once exist after the first requests.
                try tester.send(4000, connections: 16)
                let processes = [try tester.daemon.processID] + (try tester.workers)
                func figures() -> [(descriptors: Int, kilobytes: Int)] {
                    processes.map {
                        (ProcessTree.descriptorCount(of: $0), ProcessTree.privateKilobytes(of: $0))
                    }
                }
                let before = figures()
                try tester.send(wanted, connections: 16)
                #expect(try [tester.daemon.processID] + tester.workers == processes)
                for (old, new) in zip(before, figures()) {
                    print("figures: after \(wanted) requests: descriptors, KiB \(old) -> \(new)")
                    // nginx keeps idle connections, and each is a descriptor of a worker.
                    #expect(new.descriptors <= max(old.descriptors, 16) + 16)
                    #expect(new.kilobytes <= min(old.kilobytes + 1024, 12 * 1024))
                }
            }
        }

        @Test("are answered by one worker under spawn-fcgi, which ends on HUP")
        func spawnFCGI() throws {
            try Tester.run(TesterOptions().with { $0.startsDaemon = false }) { tester in
                try TestRules.old.push(to: tester)
                let socket = tester.poolAddress.dropFirst("unix:".count)
                let worker = try RunningProcess(
                    [
                        "/usr/bin/spawn-fcgi", "-s", String(socket), "-M", "0666", "-n", "--",
                        Programs.daemon(), "--allow-root", "--config", tester.configurationPath,
                    ], logPath: tester.folder.path(of: "spawn.log"))
                #expect(
                    Patience.wait(seconds: 60) {
                        (try? tester.ask()) == TestRules.old.answer || worker.hasEnded
                    }, "\(worker.log)")
                try tester.send(500)
                try worker.send(.hangup)
                #expect(worker.waitForExit() == .exited(0), "\(worker.log)")
            }
        }

        @Test("are answered as CGI, one by one", arguments: [200, 400, 500])
        func cgi(status: Int) throws {
            let quiet = TesterOptions().with { ($0.startsDaemon, $0.startsNginx) = (false, false) }
            try Tester.run(quiet) { tester in
                try TestRules.old.push(to: tester)
                let body = status == 200 ? try tester.forge.body(tester.forge.payload) : Array("hello".utf8)
                let path = status == 500 ? "/nowhere/retentiond.json" : tester.configurationPath
                let run = try Programs.run(
                    Programs.daemon(), ["--allow-root", "--config", path, "--cgi"], input: body,
                    environment: [
                        "GATEWAY_INTERFACE=CGI/1.1", "REQUEST_METHOD=POST", "CONTENT_TYPE=application/json",
                        "CONTENT_LENGTH=\(body.count)", "RETENTION_ENDPOINT=retention-message",
                    ])
                #expect(run.status == (status == 500 ? 70 : 0), "\(run)")
                let text =
                    [200: TestRules.old.answer, 400: "body-not-json", 500: "internal-fault"][status] ?? ""
                #expect(run.output.hasPrefix("Status: \(status)") && run.output.contains(text), "\(run)")
            }
        }
    }
}
