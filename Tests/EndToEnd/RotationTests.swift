import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Rotating the error logs under load")
    struct RotationTests {
        private static let rotationCount = 4

        /// Waits until a log has a number of lines with a text.
        private static func wait(_ scene: RotationScene, _ name: String, for text: String, count: Int) throws
        {
            let isThere = Patience.wait(seconds: 60) {
                (try? scene.lines(name).count { $0.contains(text) }) ?? 0 >= count
            }
            guard isThere else { throw Complaint("\(text) is not there \(count) times") }
        }

        /// Checks that each line is a whole one, and that the file has a line from each rotation.
        private static func checkLines(_ scene: RotationScene, _ name: String) throws -> [String] {
            let lines = try scene.lines(name)
            for line in lines {
                let isWhole = line.contains(
                    /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z]+ [a-z]+ pid=\d+ message=(\w+|"[^"]+")( [a-z.-]+=("([^"\\]|\\.)*"|[^ "]*))*$/
                )
                #expect(isWhole, "\(line)")
            }
            for number in 1...rotationCount {
                #expect((try? FileStatus(path: scene.path("\(name).\(number)"))) != nil, "\(number)")
            }
            return lines
        }

        /// The process numbers in the lines of workers with a message.
        private static func workers(_ lines: [String], _ message: String) -> [Substring] {
            lines.filter { $0.contains(" worker ") && $0.contains("message=\(message)") }
                .compactMap { $0.split(separator: " ").first { $0.hasPrefix("pid=") } }.sorted()
        }

        @Test("loses no line of the pool and tears none, and no request fails")
        func pool() throws {
            let scene = try RotationScene()
            defer { LogAudit.check(scene.folder) }
            let options = TesterOptions().with {
                $0.configuration = [
                    (
                        "log",
                        #"{"errorLog": "\#(scene.path("error.log"))", "decisions": "\#(scene.path("decisions.ndjson"))"}"#
                    )
                ]
                $0.startsDaemon = false
            }
            try Tester.run(options) { tester in
                try TestRules.old.push(to: tester)
                try tester.startDaemon(waits: false)
                let daemon = try tester.daemon
                try scene.run(daemon, asUnit: "retentiond.service")
                try #require(Patience.wait(seconds: 60) { (try? tester.ask()) == TestRules.old.answer })
                var starts = 2
                let report = try tester.underLoad { client in
                    for number in 1...Self.rotationCount {
                        let before = client.answered
                        // Workers of two generations log while the files are renamed and opened.
                        try daemon.send(.hangup)
                        starts += 2
                        try scene.rotate()
                        #expect(Patience.wait(seconds: 60) { client.answered > before + 200 })
                        try Self.wait(scene, "error.log", for: "reload accepted", count: number)
                        try Self.wait(scene, "error.log", for: "logs reopened", count: number)
                    }
                }
                #expect(report.failures == 0, "\(report)")
                // A worker writes the records of its last requests some milliseconds later.
                let isWritten = Patience.wait(seconds: 60) {
                    let decided = try? tester.status("answers_decided")
                    return decided != nil && (try? tester.status("decisions_written")) == decided
                }
                #expect(isWritten)
                let written = try tester.status("decisions_written")
                for name in ["log_lines_dropped", "decisions_dropped"] {
                    #expect(try tester.status(name) == 0)
                }
                try daemon.send(.quit)
                #expect(daemon.waitForExit() == .exited(0))
                #expect(daemon.log == "", "standard error")
                let lines = try Self.checkLines(scene, "error.log")
                // Each worker logs once that it is ready, that it leaves, and that it has left.
                let ready = Self.workers(lines, "ready")
                #expect(ready.count == starts && Set(ready).count == starts, "\(lines)")
                #expect(Self.workers(lines, "draining") == ready && Self.workers(lines, "drained") == ready)
                #expect(lines.last?.contains("message=stopped") == true)
                // Every record that a worker counted as written is in one of the files, and the ends of all workers know of each.
                let decisions = try DecisionLines(scene.texts("decisions.ndjson"))
                let count = decisions.records.count
                #expect(written == Int64(count))
                #expect(count > report.answers.values.reduce(0, +))
                #expect(decisions.lastNumbers.count == starts)
                #expect(decisions.lastNumbers.values.reduce(0, +) == Int64(count))
            }
        }

        @Test("loses no line of the recorder and tears none, and no notification is refused")
        func recorder() throws {
            let scene = try RotationScene()
            defer { LogAudit.check(scene.folder) }
            let log = #"{"errorLog": "\#(scene.path("recorder.log"))"}"#
            try RecorderTester.run(log: log) { recorder in
                let process = try recorder.recorder
                try scene.run(process, asUnit: "retentiond-recorder.service")
                let load = try NotificationLoad(recorder, senders: 4)
                for number in 1...Self.rotationCount {
                    try process.send(.hangup)
                    try scene.rotate()
                    try load.awaitAcknowledgements(20)
                    try Self.wait(scene, "recorder.log", for: "message=reloaded", count: number)
                    try Self.wait(scene, "recorder.log", for: "logs reopened", count: number)
                }
                #expect(load.finish() && load.refusalCount == 0)
                try process.send(.quit)
                #expect(process.waitForExit() == .exited(0))
                #expect(process.log == "", "standard error")
                let lines = try Self.checkLines(scene, "recorder.log")
                let reloads = lines.filter { $0.contains("message=reloaded") }
                #expect(reloads.map { $0.split(separator: "=").last } == ["1", "2", "3", "4"], "\(lines)")
                #expect(lines.last?.contains("message=drained") == true, "\(lines)")
            }
        }

        @Test("fails and names the unit that runs and cannot be told, and passes over one that does not run")
        func untold() throws {
            let scene = try RotationScene()
            try scene.folder.write("a line\n", to: "logs/error.log")
            let folder = scene.folder
            let ended = try RunningProcess(["/bin/true"], logPath: folder.path(of: "true.log"))
            #expect(ended.waitForExit() == .exited(0))
            try scene.run(ended, asUnit: "retentiond.service")
            let run = try scene.logrotate()
            #expect(run.status == 1, "\(run.errors)")
            #expect(run.errors.contains("retentiond.service does not reopen its logs: "), "\(run.errors)")
            #expect(!run.errors.contains("retentiond-recorder"), "\(run.errors)")
            #expect(try scene.folder.read("logs/error.log.1") == Array("a line\n".utf8))
            // Now neither unit runs. The next rotation goes on as if nothing had been.
            try Directory.removeFile(path: scene.folder.path(of: "retentiond.service.pid"))
            try scene.folder.write("more\n", to: "logs/error.log")
            try scene.rotate()
            #expect(try scene.folder.read("logs/error.log.1") == Array("more\n".utf8))
            #expect(try scene.folder.read("logs/error.log.2") == Array("a line\n".utf8))
        }
    }
}

/// A folder of logs that the real logrotate rotates with the shipped file. A script takes the place of systemctl, and sends
/// the signal to a process of the test.
struct RotationScene {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try folder.makeDirectory("logs", permissions: 0o750)
        try folder.makeDirectory("bin")
        let bytes = try SourceFile.read(SourceFile.root + "/examples/retentiond.logrotate")
        var text = String(decoding: bytes, as: UTF8.self)
        let user = Accounts.userName(Credentials.current.userID)
        let changes = [
            ("/var/log/retentiond/", "\(folder.path)/logs/"),
            ("    su retentiond retentiond\n", "    su \(user) \(user)\n"),
            // The test reads the renamed files. On a server a day lies between two rotations.
            ("    compress\n    delaycompress\n", ""),
        ]
        for (old, new) in changes {
            guard text.contains(old) else { throw Complaint("the shipped file has no \(old)") }
            text.replace(old, with: new)
        }
        try folder.write(text, to: "logrotate.conf", permissions: 0o600)
    }

    func path(_ name: String) -> String { folder.path(of: "logs/\(name)") }

    /// Makes systemctl reach a process as the main process of a unit.
    func run(_ process: RunningProcess, asUnit unit: String) throws {
        try folder.write("\(process.processID)", to: unit + ".pid")
        try folder.write(
            """
            #!/bin/sh
            cd '\(folder.path)'
            if [ "$1" = is-active ] && [ $# = 2 ]; then
                if [ -e "$2.pid" ]; then echo active; else echo inactive; exit 3; fi
            elif [ "$1 $2 $3" = "kill --kill-who=main --signal=USR1" ] && [ $# = 4 ]; then
                kill -USR1 "$(cat "$4.pid")"
            else
                exit 64
            fi

            """,
            to: "bin/systemctl",
            permissions: 0o755
        )
    }

    /// Rotates all logs, as logrotate does once a day.
    func rotate() throws {
        let run = try logrotate()
        guard run.status == 0, run.errors.isEmpty else { throw Complaint("logrotate: \(run.errors)") }
    }

    func logrotate() throws -> ProgramRun {
        try Programs.run(
            "logrotate", ["--force", "--state", folder.path(of: "state"), folder.path(of: "logrotate.conf")],
            environment: ["PATH=\(folder.path)/bin:/usr/sbin:/usr/bin:/sbin:/bin"])
    }

    /// The lines of a log, from the oldest file to the newest. Throws when a file does not end with a whole line.
    func lines(_ name: String) throws -> [String] {
        try texts(name).flatMap { text in
            guard text.isEmpty || text.last == UInt8(ascii: "\n") else { throw Complaint("half a line") }
            return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// The files of a log, from the oldest to the newest.
    func texts(_ name: String) throws -> [[UInt8]] {
        let all = try Directory.names(in: FileDescriptor.openDirectory(path: path("")), limitCount: 100)
        let files = all.filter { $0.hasPrefix(name + ".") }.sorted {
            $0.count == $1.count ? $0 > $1 : $0.count > $1.count
        }
        return try (files + [name]).map { try folder.read("logs/\($0)") }
    }
}
