import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("The daemon without a supervisor")
    struct OtherSpawnersTests {
        @Test("serves as one worker under spawn-fcgi and ends on HUP")
        func spawnFCGI() throws {
            let options = TesterOptions().with { $0.startsDaemon = false }
            try Tester.run(options) { tester in
                try TestRules.old.push(to: tester)
                let socket = tester.poolAddress.dropFirst("unix:".count)
                let worker = try RunningProcess(
                    [
                        "/usr/bin/spawn-fcgi", "-s", String(socket), "-M", "0666", "-n", "--",
                        Programs.daemon(), "--allow-root", "--config", tester.configurationPath,
                    ],
                    logPath: tester.folder.path(of: "spawn.log")
                )
                #expect(
                    Patience.wait(seconds: 60) {
                        (try? tester.ask()) == TestRules.old.answer || worker.hasEnded
                    },
                    "\(worker.log)"
                )
                let plan = try tester.load(connections: 8).with { $0.requestLimit = 500 }
                let report = LoadClient(plan).run()
                #expect(report.failures == 0, "\(report) \(worker.log)")
                try worker.send(.hangup)
                #expect(worker.waitForExit() == .exited(0), "\(worker.log)")
            }
        }

        @Test("answers with status 500 as CGI when the configuration is wrong")
        func cgiFault() throws {
            let run = try Programs.run(
                try Programs.daemon(),
                ["--allow-root", "--config", "/nowhere/retentiond.json", "--cgi"],
                environment: [
                    "GATEWAY_INTERFACE=CGI/1.1", "REQUEST_METHOD=POST",
                    "RETENTION_ENDPOINT=retention-message",
                ]
            )
            #expect(run.status == 70)
            #expect(run.output.hasPrefix("Status: 500 Internal Server Error\r\n"), "\(run.output)")
            #expect(run.output.contains("Content-Type: application/problem+json"))
            #expect(run.output.hasSuffix(#""code":"internal-fault"}"#))
            #expect(run.errors.contains("code=configuration-unreadable"))
        }

        @Test("answers one request as CGI", arguments: [true, false])
        func cgi(isSound: Bool) throws {
            let options = TesterOptions().with {
                $0.startsDaemon = false
                $0.startsNginx = false
            }
            try Tester.run(options) { tester in
                try TestRules.old.push(to: tester)
                let body = isSound ? try tester.forge.body(tester.forge.payload) : Array("hello".utf8)
                try tester.folder.write(body, to: "body")
                let input = try FileDescriptor.openForReading(path: tester.folder.path(of: "body"))
                let process = try RunningProcess(
                    [Programs.daemon(), "--allow-root", "--config", tester.configurationPath, "--cgi"],
                    logPath: tester.folder.path(of: "cgi.log"),
                    environment: [
                        "GATEWAY_INTERFACE=CGI/1.1", "REQUEST_METHOD=POST", "CONTENT_TYPE=application/json",
                        "CONTENT_LENGTH=\(body.count)", "RETENTION_ENDPOINT=retention-message",
                    ],
                    descriptors: [(input.number, 0)]
                )
                #expect(process.waitForExit() == .exited(0), "\(process.log)")
                let output = process.log
                #expect(output.contains("Status: \(isSound ? 200 : 400)"), "\(output)")
                #expect(output.contains(isSound ? TestRules.old.answer : "body-not-json"), "\(output)")
            }
        }
    }
}
