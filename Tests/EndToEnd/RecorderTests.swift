import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("The recorder behind nginx")
    struct RecorderTests {
        @Test(
            "stores a notification that comes over TLS, and answers 200",
            arguments: ["SQLite", "PostgreSQL"]
        )
        func stored(system: String) throws {
            let store = try system == "SQLite" ? nil : PostgreSQLServer.shared().makeSchema()
            try RecorderTester.run(store: store) { recorder in
                let trust = try TLSTrust(
                    authoritiesFile: recorder.tester.folder.path(of: "nginx/server.pem"),
                    serverName: "localhost")
                let request = RequestText.post(RecorderTester.path, try recorder.body(1))
                for _ in 0..<2 {
                    let answer = PlainAnswer.exchange(request, port: recorder.tester.tlsPort, tls: trust)
                    #expect(answer?.status == 200 && answer?.body == "")
                }
                #expect(try recorder.rows() == [RecorderTester.uuid(1)])
            }
        }

        /// The row that is refused only while the clock stands still.
        private static let timed = "a notification signed more than a minute ahead"

        @Test("gives each body of the zoo its status and code")
        func zoo() throws {
            try RecorderTester.run { recorder in
                var refused = 0
                var stored = 0
                var sandboxed: [String] = []
                for row in NotificationZoo.common {
                    let body = try row.body(recorder.tester.forge)
                    let answer = try #require(recorder.post(body), "\(row.name)")
                    refused += 1
                    #expect(answer.status == row.status, "\(row.name): \(answer)")
                    #expect(answer.body.contains("\"code\":\"\(row.code ?? "")\""), "\(row.name)")
                }
                for row in NotificationZoo.rows where row.name != Self.timed {
                    let body = try row.body(recorder.tester.forge)
                    // nginx and the recorder refuse longer bodies with 413, which the next test has.
                    guard body.count <= 512 << 10 else { continue }
                    let answer = try #require(recorder.post(body), "\(row.name)")
                    if answer.status == 200 {
                        stored += 1
                        #expect(row.code == nil, "\(row.name)")
                    } else if let code = row.code {
                        refused += 1
                        #expect(answer.status == row.status, "\(row.name): \(answer)")
                        #expect(answer.body.contains("\"code\":\"\(code)\""), "\(row.name): \(answer.body)")
                    } else {
                        // The configuration behind nginx has no app in the sandbox.
                        sandboxed.append(row.name)
                        #expect(
                            answer.body.contains("environment-not-configured"), "\(row.name): \(answer.body)")
                    }
                }
                #expect(refused >= 100 && stored > 10, "\(refused) \(stored)")
                #expect(
                    sandboxed == ["the sandbox without an app number", "the sandbox with another app number"]
                )
            }
        }

        @Test("refuses what is too long, no POST, no JSON, or version 1")
        func requests() throws {
            try RecorderTester.run { recorder in
                for count in [(512 << 10) + 1, 700_000] {
                    let answer = recorder.post([UInt8](repeating: 0x20, count: count))
                    #expect(answer?.status == 413 && answer?.body.contains("body-too-large") == true)
                }
                #expect(recorder.tester.get(RecorderTester.path)?.status == 405)
                let old = recorder.post(Array(#"{"notification_type":"CANCEL","unified_receipt":{}}"#.utf8))
                #expect(old?.status == 400 && old?.body.contains("notification-version-1") == true)
                let rows = try recorder.rows()
                #expect(rows.isEmpty)
            }
        }

        @Test("answers 503 while the recorder is down, and goes on afterwards")
        func down() throws {
            try RecorderTester.run { recorder in
                try recorder.kill()
                let answer = recorder.post(try recorder.body(1))
                #expect(answer?.status == 503 && answer?.body.contains("recorder-unavailable") == true)
                try recorder.start()
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                #expect(recorder.answersPing)
                let status = recorder.tester.get("/notifications-status")?.body ?? ""
                #expect(status.contains("store state:"), "\(status)")
                let metrics = recorder.tester.get("/notifications-metrics")?.body ?? ""
                #expect(metrics.contains("retentiond_recorder_store_up 1"), "\(metrics)")
            }
        }

        @Test(
            "starts without a store that can be used, answers 503, and takes notifications once there is one"
        )
        func noStore() throws {
            let place = try TemporaryDirectory()
            let folder = place.path(of: "later")
            try RecorderTester.run(store: "sqlite:\(folder)/store.db", starts: false) { recorder in
                try recorder.start(waits: false)
                #expect(try recorder.recorder.waitForLog("takes no notifications"))
                let answer = recorder.post(try recorder.body(1))
                #expect(answer?.status == 503 && answer?.body.contains("store-unavailable") == true)
                try Directory.make(path: folder, permissions: 0o700)
                #expect(Patience.wait(seconds: 30) { recorder.answersPing })
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                #expect(try recorder.rows() == [RecorderTester.uuid(1)])
            }
        }

        @Test("reloads, refuses a reload as a whole, and finishes what is in flight when it is told to stop")
        func signals() throws {
            try RecorderTester.run { recorder in
                let program = try Programs.recorder()
                let path = recorder.tester.configurationPath
                let arguments = ["--allow-root", "--config", path]
                let loaded = try Programs.run(program, arguments + ["--reload"])
                #expect(loaded.status == 0, "\(loaded.errors)")
                let good = String(decoding: try recorder.tester.folder.read("retentiond.json"), as: UTF8.self)
                try recorder.tester.folder.write(
                    good.replacing("anchor.pem", with: "no.pem"), to: "retentiond.json")
                let refused = try Programs.run(program, arguments + ["--reload"])
                #expect(refused.status != 0 && refused.errors.contains("anchor"), "\(refused.errors)")
                #expect(recorder.post(try recorder.body(1))?.status == 200)
                try recorder.tester.folder.write(good, to: "retentiond.json")
                let load = try NotificationLoad(recorder, senders: 4)
                _ = Patience.wait(seconds: 60) { load.acknowledged.count > 20 }
                try recorder.recorder.send(.quit)
                let exit = try recorder.recorder.waitForExit()
                #expect(exit == .exited(0), "\(String(describing: exit))")
                #expect(load.finish())
                let rows = try Set(recorder.rows())
                #expect(load.acknowledged.allSatisfy { rows.contains(RecorderTester.uuid($0)) })
            }
        }

        @Test("prints versions, checks a configuration, and refuses wrong arguments")
        func commands() throws {
            try RecorderTester.run(starts: false) { recorder in
                let program = try Programs.recorder()
                let file = ["--config", recorder.tester.configurationPath, "--allow-root"]
                #expect(try Programs.run(program, ["-v"]).status == 0)
                let build = try Programs.run(program, ["-V"])
                #expect(
                    build.status == 0 && build.output.contains("sqlite: 3.")
                        && build.output.contains("libpq: ")
                )
                if Credentials.isPrivileged {
                    let root = try Programs.run(program, Array(file.dropLast()) + ["-t"])
                    let remedy = "type: runuser -u retentiond -- retentiond-recorder -t"
                    #expect(root.status == 78 && root.errors.contains(remedy), "\(root.errors)")
                }
                let check = try Programs.run(program, file + ["-t"])
                #expect(check.status == 0 && check.errors.contains("test is successful"), "\(check.errors)")
                let printed = try Programs.run(program, file + ["-T"])
                #expect(printed.status == 0 && printed.output.contains("waitingBytes"))
                #expect(try Programs.run(program, ["--nonsense"]).status == 64)
                try recorder.tester.folder.write(
                    "not a database, but a file of more than a few bytes", to: "notifications.db")
                let foreign = try Programs.run(program, file + ["-t"])
                #expect(foreign.status == 1 && foreign.errors.contains("test failed"), "\(foreign.errors)")
            }
        }
    }
}
