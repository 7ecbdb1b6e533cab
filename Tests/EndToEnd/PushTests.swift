import DataFiles
import Support
import System
import Testing

extension EndToEnd {
    @Suite("The shipped push script")
    struct PushTests {
        @Test("ends with the server's verdict: loaded, refused, or could not be asked")
        func verdicts() throws {
            try Tester.run(TesterOptions().with { $0.startsNginx = false }) { tester in
                let desk = try PushDesk(tester.folder)
                let good = try desk.write(TestRules.new.pushed(), "app.rules.json")
                var run = try desk.push([good], reload: Self.reload(tester))
                #expect(run.status == 0 && run.output.contains("loaded"), "\(run.errors)")
                // The verdict is stored before it is logged.
                #expect(try tester.daemon.waitForLog("reload accepted"))
                // Only the owner and the pool's group can read the pushed file.
                let path = tester.folder.path(of: "data/app.rules.json")
                #expect(try FileStatus(path: path).permissions == 0o640)

                // What is refused is taken back: the former file is there again, and a new one is gone.
                let wrong = Array(#"{"format": 2}"#.utf8)
                let loaded = try tester.folder.read("data/app.rules.json")
                for (bytes, name, code) in [
                    (wrong, "app.rules.json", "rules."),
                    (try TestRules.old.pushed(), "other.rules.json", "duplicate-file"),
                ] {
                    run = try desk.push([desk.write(bytes, name)], reload: Self.reload(tester))
                    #expect(run.status == 1 && run.errors.contains(code), "\(run.errors)")
                    #expect(try desk.pushedNames() == ["app.rules.json"])
                    #expect(try tester.folder.read("data/app.rules.json") == loaded)
                }
                // Also when another file of the push is there already.
                run = try desk.push(
                    [good, desk.write(TestRules.old.pushed(), "other.rules.json")],
                    reload: Self.reload(tester))
                #expect(run.status == 1 && !run.errors.contains("could not take back"), "\(run.errors)")
                #expect(try desk.pushedNames() == ["app.rules.json"])
                #expect(try tester.folder.read("data/app.rules.json") == loaded)
                #expect(try tester.daemon.waitForLog("reload refused"))
                #expect(try tester.daemon.logCount("reload accepted") == 1)

                let old = try desk.write(TestRules.old.pushed(), "app.rules.json")
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                run = try desk.push([old], reload: Self.reload(tester))
                #expect(run.status == 2 && run.errors.contains("no supervisor"), "\(run.errors)")
            }
        }

        private static func reload(_ tester: Tester) throws -> String {
            "\(try Programs.daemon()) --config \(tester.configurationPath) --reload"
        }

        @Test("pushes nothing when one of the files is not a data file", arguments: WrongFile.all)
        func wrongFile(wrong: WrongFile) throws {
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("data")
            let desk = try PushDesk(folder)
            let good = try desk.write(PushDesk.rules, "good.rules.json")
            let bad =
                wrong.bytes == nil ? desk.path(wrong.name) : try desk.write(wrong.bytes ?? [], wrong.name)
            for files in [[bad], [good, bad]] {
                let run = try desk.push(files, reload: "/bin/false")
                #expect(run.status == 65 && run.errors.contains(bad), "\(run)")
            }
            #expect(try desk.pushedNames().isEmpty)
            #expect(try desk.push([good], reload: "/bin/true").status == 0)
        }

        /// How systemd behaves, and the exit status of the script then.
        static let outcomes: [(systemd: PushDesk.Systemd, status: Int32)] = [
            (.reloads(verdict: "code=exited ; status=0"), 0),
            (.reloads(verdict: "code=exited ; status=1"), 1),
            (.reloads(verdict: "code=exited ; status=2"), 2),
            (.reloads(verdict: "code=exited ; status=127"), 2),
            (.reloads(verdict: "code=killed ; status=9/KILL"), 2), (.isInactive, 2), (.refusesUser, 2),
            (.isMissing, 2),
        ]

        @Test("tells a refusal from a server that systemd could not ask", arguments: outcomes)
        func systemd(outcome: (systemd: PushDesk.Systemd, status: Int32)) throws {
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("data")
            let desk = try PushDesk(folder)
            let file = try desk.write(PushDesk.factsHeader, "app.facts")
            try desk.install(outcome.systemd)
            for host in ["local", "elsewhere"] {
                let run = try desk.push([file], host: host)
                #expect(run.status == outcome.status, "\(run)")
                #expect(run.errors.contains("could not be asked") == (outcome.status == 2), "\(run)")
                #expect(run.errors.contains("reload refused: data-file.") == (outcome.status == 1), "\(run)")
            }
            guard outcome.systemd != .isMissing else { return }
            // The script asks sudo only for the command that the shipped sudoers line allows.
            let asked = String(decoding: try folder.read("asked"), as: UTF8.self)
            #expect(asked.split(separator: "\n").allSatisfy { $0 == "-n systemctl reload retentiond" })
            let sudoers = try SourceFile.read(SourceFile.root + "/examples/retentiond.sudoers")
            let line = "deploy ALL=(root) NOPASSWD: /usr/bin/systemctl reload retentiond\n"
            #expect(String(decoding: sudoers, as: UTF8.self).hasSuffix(line))
        }

        @Test("does not report a refusal when it cannot ask the server")
        func noServer() throws {
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("data")
            let desk = try PushDesk(folder)
            let file = try desk.write(PushDesk.rules, "app.rules.json")
            var run = try desk.push([file], reload: "retentiond --reload")
            #expect(run.status == 2 && run.errors.contains("status 127"), "\(run.errors)")
            // The connection breaks after the files have been copied.
            try desk.script("ssh", #"case $3 in *" 'keep' "*) eval "$3" ;; *) exit 255 ;; esac"#)
            run = try desk.push([file], host: "elsewhere")
            #expect(run.status == 2 && run.errors.contains("status 255"), "\(run.errors)")
            try desk.script("ssh", "exit 255")
            run = try desk.push([file], host: "elsewhere")
            #expect(run.status == 74)
            try desk.script("rsync", #"[ "$1" != --version ] || exec rsync-here "$1"; exit 12"#)
            run = try desk.push([file])
            #expect(run.status == 74)
            run = try desk.push([])
            #expect(run.status == 64)
        }

        @Test("says the rows before and after, and takes away more than half of them only when told to")
        func rows() throws {
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("data")
            let desk = try PushDesk(folder)
            func push(_ count: Int, _ more: [String] = [], _ reload: String = "/bin/true") throws
                -> ProgramRun
            {
                let file = try desk.write(PushDesk.facts(count), "app.facts")
                return try desk.push([file], options: more, reload: reload)
            }
            var run = try push(10)
            #expect(run.status == 0 && run.output.contains("app.facts: no rows before, 10 rows after\n"))
            run = try push(5)
            #expect(run.status == 0 && run.output.contains("app.facts: 10 rows before, 5 rows after\n"))
            run = try push(2)
            #expect(run.status == 65 && run.output == "app.facts: 5 rows before, 2 rows after\n", "\(run)")
            #expect(run.errors.contains("--allow-fewer-rows"), "\(run.errors)")
            #expect(try folder.read("data/app.facts") == PushDesk.facts(5))
            // A refused file is no measure for the next one.
            run = try push(900, [], "/bin/false")
            #expect(run.status == 1, "\(run)")
            run = try push(3)
            #expect(
                run.status == 0 && run.output.contains("app.facts: 5 rows before, 3 rows after\n"), "\(run)")
            run = try push(1, ["--allow-fewer-rows"])
            #expect(run.status == 0, "\(run)")
            #expect(try folder.read("data/app.facts") == PushDesk.facts(1))
            #expect(try desk.pushedNames() == ["app.facts"])
        }

        @Test("takes a path for a file of this machine, and nothing but a file for a file")
        func paths() throws {
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("data")
            let desk = try PushDesk(folder)
            try folder.makeDirectory("evil:")
            try desk.script("ssh", "echo >\(folder.path(of: "asked")); exit 255")
            for name in ["evil:/app.rules.json", "-x.rules.json"] {
                try folder.write(PushDesk.rules, to: name)
                let run = try Programs.run(
                    "/bin/sh",
                    [
                        "-c", "cd \"$0\" && exec \"$@\"", folder.path, SourceFile.root + "/examples/push",
                        "local", name,
                    ],
                    environment: desk.environment + ["RETENTION_RELOAD=/bin/true"]
                )
                #expect(run.status == 0, "\(run)")
            }
            #expect(try desk.pushedNames() == ["-x.rules.json", "app.rules.json"])
            #expect((try? folder.read("asked")) == nil)
            _ = try Programs.run("mkfifo", [desk.path("pipe.rules.json")])
            #expect(try desk.push([desk.path("pipe.rules.json")], reload: "/bin/true").status == 65)
        }

        @Test(
            "needs an rsync that has all its flags, and says which",
            arguments: [
                ("rsync  version 3.2.3  protocol version 31", 74),
                ("rsync  version v3.2.4dev  protocol version 31", 0),
                ("openrsync: protocol version 29", 74), ("rsync  version 10.0.0  protocol version 40", 0),
                ("", 74),
            ] as [(String, Int32)]
        )
        func rsync(version: String, status: Int32) throws {
            let folder = try TemporaryDirectory()
            try folder.makeDirectory("data")
            let desk = try PushDesk(folder)
            try desk.script(
                "rsync",
                #"[ "$1" != --version ] || { echo "\#(version)"; exit 0; }; exec rsync-here "$@""#
            )
            let run = try desk.push([desk.write(PushDesk.rules, "app.rules.json")], reload: "/bin/true")
            #expect(run.status == status, "\(run)")
            guard status != 0 else { return }
            #expect(
                run.errors.contains("needs rsync 3.2.4 or newer") && run.errors.contains(version),
                "\(run.errors)")
            #expect(try desk.pushedNames().isEmpty)
        }
    }

    /// A file that is not a data file, by its name or by its bytes. The file does not exist when `bytes` is nil.
    struct WrongFile: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]?
        var testDescription: String { "\(name), \(bytes.map { "\($0.count) bytes" } ?? "missing")" }

        static let all = [
            WrongFile(name: "app.json", bytes: PushDesk.rules),
            WrongFile(name: ".app.rules.json", bytes: PushDesk.rules),
            WrongFile(name: "an app.rules.json", bytes: PushDesk.rules),
            WrongFile(name: "app.rules", bytes: PushDesk.rules),
            WrongFile(name: "app.rules.json", bytes: Array(#"{"format": 1, "app": {"appAppleId": 1}"#.utf8)),
            WrongFile(name: "app.rules.json", bytes: PushDesk.factsHeader),
            WrongFile(name: "app.facts", bytes: PushDesk.rules),
            WrongFile(name: "app.facts", bytes: Array(PushDesk.factsHeader.prefix(25))),
            WrongFile(name: "app.rules.json", bytes: []), WrongFile(name: "app.rules.json", bytes: nil),
        ]
    }
}
