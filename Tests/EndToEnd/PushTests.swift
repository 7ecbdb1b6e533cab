import Facts
import Support
import System
import Testing

extension EndToEnd {
    @Suite("The shipped push script")
    struct PushTests {
        @Test("ends with the server's verdict: loaded, refused, or could not be asked")
        func verdicts() throws {
            try Tester.run(TesterOptions().with { $0.startsNginx = false }) { tester in
                let desk = try PushDesk(tester)
                let good = try desk.write(TestRules.new.pushed, "app.rules.json")
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
                    (TestRules.old.pushed, "other.rules.json", "duplicate-file"),
                ] {
                    run = try desk.push([desk.write(bytes, name)], reload: Self.reload(tester))
                    #expect(run.status == 1 && run.errors.contains(code), "\(run.errors)")
                    #expect(try desk.pushedNames() == ["app.rules.json"])
                    #expect(try tester.folder.read("data/app.rules.json") == loaded)
                }
                // Also when another file of the push is there already.
                run = try desk.push(
                    [good, desk.write(TestRules.old.pushed, "other.rules.json")],
                    reload: Self.reload(tester))
                #expect(run.status == 1 && !run.errors.contains("could not take back"), "\(run.errors)")
                #expect(try desk.pushedNames() == ["app.rules.json"])
                #expect(try tester.folder.read("data/app.rules.json") == loaded)
                #expect(try tester.daemon.waitForLog("reload refused"))
                #expect(try tester.daemon.logCount("reload accepted") == 1)

                let old = try desk.write(TestRules.old.pushed, "app.rules.json")
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                run = try desk.push([old], reload: Self.reload(tester))
                #expect(run.status == 2 && run.errors.contains("no supervisor"), "\(run.errors)")
            }
        }

        private static func reload(_ tester: Tester) throws -> String {
            "\(try Programs.daemon()) --config \(tester.configurationPath) --reload"
        }

        @Test("pushes nothing when one of the files is not a data file")
        func wrongFile() throws {
            // By their names or by their bytes; the last file does not exist.
            let wrong: [(name: String, bytes: [UInt8]?)] = [
                ("app.json", PushDesk.rules), (".app.rules.json", PushDesk.rules),
                ("an app.rules.json", PushDesk.rules), ("app.rules", PushDesk.rules),
                ("app.rules.json", Array(#"{"format": 1, "app": {"appAppleId": 1}"#.utf8)),
                ("app.rules.json", PushDesk.factsHeader), ("app.facts", PushDesk.rules),
                ("app.facts", Array(PushDesk.factsHeader.prefix(25))), ("app.rules.json", []),
                ("gone.rules.json", nil),
            ]
            let desk = try PushDesk()
            let good = try desk.write(PushDesk.rules, "good.rules.json")
            for (name, bytes) in wrong {
                let bad = try bytes.map { try desk.write($0, name) } ?? desk.path(name)
                for files in [[bad], [good, bad]] {
                    let run = try desk.push(files, reload: "/bin/false")
                    #expect(run.status == 65 && run.errors.contains(bad), "\(run)")
                }
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
            let desk = try PushDesk()
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
            let asked = String(decoding: try desk.folder.read("asked"), as: UTF8.self)
            #expect(asked.split(separator: "\n").allSatisfy { $0 == "-n systemctl reload retentiond" })
            let sudoers = try SourceFile.read(SourceFile.root + "/examples/retentiond.sudoers")
            let line = "deploy ALL=(root) NOPASSWD: /usr/bin/systemctl reload retentiond\n"
            #expect(String(decoding: sudoers, as: UTF8.self).hasSuffix(line))
        }

        @Test("does not report a refusal when it cannot ask the server")
        func noServer() throws {
            let desk = try PushDesk()
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
            let desk = try PushDesk()
            let rows:
                [(count: Int, options: [String], reload: String, status: Int32, said: String, serves: Int)] =
                    [
                        (10, [], "/bin/true", 0, "no rows before, 10 rows after", 10),
                        (5, [], "/bin/true", 0, "10 rows before, 5 rows after", 5),
                        (2, [], "/bin/true", 65, "5 rows before, 2 rows after", 5),
                        // A refused file is no measure for the next one.
                        (900, [], "/bin/false", 1, "", 5),
                        (3, [], "/bin/true", 0, "5 rows before, 3 rows after", 3),
                        (1, ["--allow-fewer-rows"], "/bin/true", 0, "", 1),
                    ]
            for row in rows {
                let file = try desk.write(PushDesk.facts(row.count), "app.facts")
                let run = try desk.push([file], options: row.options, reload: row.reload)
                #expect(run.status == row.status && run.output.contains(row.said), "\(row) \(run)")
                #expect(run.errors.contains("--allow-fewer-rows") == (run.status == 65), "\(run.errors)")
                #expect(try desk.folder.read("data/app.facts") == PushDesk.facts(row.serves))
            }
            #expect(try desk.pushedNames() == ["app.facts"])
        }

        @Test("takes a path for a file of this machine, and nothing but a file for a file")
        func paths() throws {
            let desk = try PushDesk()
            try desk.folder.makeDirectory("evil:")
            try desk.script("ssh", "echo >\(desk.folder.path(of: "asked")); exit 255")
            for name in ["evil:/app.rules.json", "-x.rules.json"] {
                try desk.folder.write(PushDesk.rules, to: name)
                let run = try Programs.run(
                    "/bin/sh",
                    [
                        "-c", "cd \"$0\" && exec \"$@\"", desk.folder.path,
                        SourceFile.root + "/examples/push",
                        "local", name,
                    ],
                    environment: desk.environment + ["RETENTION_RELOAD=/bin/true"]
                )
                #expect(run.status == 0, "\(run)")
            }
            #expect(try desk.pushedNames() == ["-x.rules.json", "app.rules.json"])
            #expect((try? desk.folder.read("asked")) == nil)
            _ = try Programs.run("mkfifo", [desk.path("pipe.rules.json")])
            #expect(try desk.push([desk.path("pipe.rules.json")], reload: "/bin/true").status == 65)
        }

        @Test("needs an rsync that has all its flags, and says which")
        func rsync() throws {
            let versions: [(String, Int32)] = [
                ("rsync  version 3.2.3  protocol version 31", 74), ("openrsync: protocol version 29", 74),
                ("", 74),
                ("rsync  version v3.2.4dev  protocol version 31", 0),
                ("rsync  version 10.0.0  protocol version 40", 0),
            ]
            for (version, status) in versions {
                let desk = try PushDesk()
                let answer =
                    #"[ "$1" != --version ] || { echo "\#(version)"; exit 0; }; exec rsync-here "$@""#
                try desk.script("rsync", answer)
                let run = try desk.push([desk.write(PushDesk.rules, "app.rules.json")], reload: "/bin/true")
                #expect(run.status == status, "\(run)")
                #expect(run.errors.contains("needs rsync 3.2.4 or newer") == (status != 0), "\(run.errors)")
                #expect(try desk.pushedNames().isEmpty == (status != 0))
            }
        }
    }
}

/// The machine that runs `examples/push`: a folder of files to push, and a PATH with only the programs that the script
/// needs, so that the tests do not depend on other installed programs.
struct PushDesk {
    let folder: TemporaryDirectory

    /// How the server's systemd behaves.
    enum Systemd: Sendable, Equatable {
        /// systemd runs ExecReload=, and its process ends with this verdict.
        case reloads(verdict: String)
        /// The unit does not run.
        case isInactive
        /// sudo does not allow the user to run systemctl.
        case refusesUser
        /// The server has neither systemctl nor sudo.
        case isMissing
    }

    /// Uses the folder of a tester, or a new one with an empty data directory.
    init(_ tester: Tester? = nil) throws {
        folder = try tester?.folder ?? TemporaryDirectory()
        if tester == nil { try folder.makeDirectory("data") }
        try folder.makeDirectory("bin")
        try folder.makeDirectory("pushed")
        for name in ["bash", "sh", "cat", "head", "jq", "od", "tr", "env", "cp", "ln", "mv", "rm"] {
            try link(name, to: "/usr/bin/\(name)")
        }
        // The scripts for rsync and ssh stay on this machine, whatever host a test names.
        try link("rsync-here", to: "/usr/bin/rsync")
        let words = #"for word; do set -- "$@" "${word#elsewhere:}"; shift; done"#
        try script("rsync", words + #"; exec rsync-here "$@""#)
        try script("ssh", #"[ "$#" -eq 3 ] && eval "$3""#)
        try script("id", "echo 1000")
    }

    /// The path of a file that can be pushed.
    func path(_ name: String) -> String { folder.path(of: "pushed/\(name)") }

    /// Writes a file that can be pushed.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try folder.write(bytes, to: "pushed/\(name)")
        return path(name)
    }

    /// Puts a script into the PATH.
    func script(_ name: String, _ lines: String) throws {
        try folder.write("#!/bin/sh\n\(lines)\n", to: "bin/\(name)", permissions: 0o755)
    }

    private func link(_ name: String, to path: String) throws {
        _ = try Programs.run("ln", ["-s", path, folder.path(of: "bin/\(name)")])
    }

    /// What the script needs of its environment.
    var environment: [String] {
        ["PATH=\(folder.path(of: "bin"))", "RETENTION_DATA=\(folder.path(of: "data"))"]
    }

    /// The names in the data directory.
    func pushedNames() throws -> [String] {
        let data = try FileDescriptor.openDirectory(path: folder.path(of: "data"))
        return try Directory.names(in: data, limitCount: 10)
    }

    /// Runs `examples/push`. Without `reload` the script reloads the daemon through systemd.
    func push(_ files: [String], host: String = "local", options: [String] = [], reload: String? = nil) throws
        -> ProgramRun
    {
        try Programs.run(
            SourceFile.root + "/examples/push",
            options + [host] + files,
            environment: environment + (reload.map { ["RETENTION_RELOAD=\($0)"] } ?? [])
        )
    }

    /// Puts scripts named `sudo` and `systemctl` into the PATH that behave as `systemd` says.
    func install(_ systemd: Systemd) throws {
        guard systemd != .isMissing else { return }
        let asked = folder.path(of: "asked")
        let isAllowed = systemd != .refusesUser
        try script(
            "sudo", "printf '%s\\n' \"$*\" >>\(asked)\n" + (isAllowed ? "shift; exec \"$@\"" : "exit 1"))
        let state = folder.path(of: "state-of-systemd")
        try folder.write(Self.execReload("pid=0", "code=(null) ; status=0/0"), to: "state-of-systemd")
        var reload = "exit 1"
        if case .reloads(let verdict) = systemd {
            let shown = Self.execReload("pid=$$", verdict)
            reload = "echo \"\(shown)\" >\(state); \(verdict.hasSuffix("=0") ? "exit 0" : "exit 1")"
        }
        try script(
            "systemctl",
            """
            case "$*" in
                "show -p ExecReload retentiond") cat \(state) ;;
                "show -p StatusText retentiond") echo "StatusText=serving; reload refused: data-file.x" ;;
                "reload retentiond") \(reload) ;;
                *) exit 64 ;;
            esac
            """
        )
    }

    /// The property `ExecReload` as systemctl 252 prints it.
    private static func execReload(_ process: String, _ exit: String) -> String {
        "ExecReload={ path=/usr/bin/retentiond ; argv[]=/usr/bin/retentiond --reload ; ignore_errors=no ; "
            + "start_time=[n/a] ; stop_time=[n/a] ; \(process) ; \(exit) }"
    }

    /// A facts file of some subscribers.
    static func facts(_ count: Int) throws -> [UInt8] {
        var table = FactsTable(columns: [.init(name: "paidPeriods", kind: .integer)])
        table.rows = (1...count).map { (key: UInt64($0), values: [.integer(1)]) }
        return try table.bytes()
    }

    /// A text that may be rules.
    static let rules = Array("{}\n".utf8)

    /// The first bytes of a facts file.
    static let factsHeader: [UInt8] =
        [0x89, 0x52, 0x54, 0x4E, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 16) + [2, 0]
        + [UInt8](repeating: 0, count: 102)
}
