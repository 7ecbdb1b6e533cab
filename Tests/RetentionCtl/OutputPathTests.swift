import Support
import System
import Testing

@Suite("The files that retentionctl writes")
struct OutputPathTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write(SmallRules.source([:]), to: "rules.json")
        let compiled = try Tool.run([
            "compile", folder.path(of: "rules.json"), "-o", folder.path(of: "app.rules"), "--generation", "1",
        ])
        try #require(compiled.status == 0, "\(compiled.errors)")
        let header = "originalTransactionId,inTrial,paidPeriods,storefront,plan\n"
        try folder.write(header + "1,,6,USA,a\n2,,six,USA,a\n", to: "table.csv")
        try folder.write("old", to: "app.facts")
        try folder.write("old", to: "bad.ndjson")
        _ = try ProgramRun.run("ln", ["-s", "table.csv", folder.path(of: "link.csv")])
        _ = try ProgramRun.run("ln", [folder.path(of: "app.facts"), folder.path(of: "same.ndjson")])
        _ = try ProgramRun.run("mkfifo", [folder.path(of: "fifo")])
    }

    /// The contents of every file.
    private func contents() throws -> [String: [UInt8]] {
        let names = try Directory.names(
            in: FileDescriptor.openDirectory(path: folder.path),
            limitCount: 100
        )
        var contents: [String: [UInt8]] = [:]
        for name in names { contents[name] = name == "fifo" ? [] : try folder.read(name) }
        return contents
    }

    private static let facts = ["facts", "compile", "/table.csv", "--schema", "/rules.json", "-o"]

    /// Arguments. Those that begin with a slash are paths in the folder.
    static let collisions: [[String]] = [
        facts + ["/app.facts", "--skip-bad", "/table.csv"],
        facts + ["/app.facts", "--skip-bad", "/link.csv"],
        facts + ["/app.facts", "--skip-bad", "/app.facts"],
        facts + ["/app.facts", "--skip-bad", "/./app.facts"],
        facts + ["/app.facts", "--skip-bad", "/same.ndjson"],
        facts + ["/new.facts", "--skip-bad", "/./new.facts"],
        facts + ["/app.facts", "--skip-bad", "/rules.json"],
        facts + ["/app.facts", "--skip-bad", "/fifo"],
        facts + ["/app.facts", "--skip-bad", "-"],
        ["facts", "compile", "/app.facts", "--format", "csv", "--schema", "/rules.json", "-o", "/app.facts"],
        ["compile", "/app.rules", "-o", "/app.rules"],
        ["compile", "/rules.json", "--inventory", "/app.rules", "-o", "/app.rules"],
        ["restamp", "/app.rules", "-o", "/app.rules"],
        ["restamp", "/app.rules", "-o", "/./app.rules"],
    ]

    @Test("are never files that it reads, and two outputs are never one file", arguments: collisions.indices)
    func collision(index: Int) throws {
        let before = try contents()
        let run = try Tool.run(Self.collisions[index].map { $0.hasPrefix("/") ? folder.path + $0 : $0 })
        #expect(run.status == 64, "\(run.errors)")
        #expect(try contents() == before)
    }

    @Test("are not the file behind standard input either")
    func standardInput() throws {
        let before = try contents()
        let tool = try ProgramRun.product("retentionctl")
        let run = try ProgramRun.run(
            "sh",
            ["-c", #"cd "$1" && exec "$0" restamp - -o app.rules < app.rules"#, tool, folder.path]
        )
        #expect(run.status == 64, "\(run.errors)")
        #expect(try contents() == before)
    }

    @Test("are all written or none is, except that bad rows are written without a facts file")
    func order() throws {
        try Directory.make(path: folder.path(of: "taken"), permissions: 0o755)
        let table = [
            "facts", "compile", folder.path(of: "table.csv"), "--schema", folder.path(of: "rules.json"),
        ]
        let facts = table + ["-o", folder.path(of: "app.facts"), "--max-bad", "50", "--skip-bad"]
        let taken = try Tool.run(facts + [folder.path(of: "taken")])
        #expect(
            taken.status == 74 && taken.errors.contains("/taken: error: system.eisdir"),
            "\(taken.errors)"
        )
        #expect(try folder.read("app.facts") == Array("old".utf8))
        // One key twice: no facts file is written, but the other bad rows are, so that they can be repaired too.
        let header = "originalTransactionId,inTrial,paidPeriods,storefront,plan\n"
        try folder.write(header + "1,,,,\n2,,x,,\n1,,,,\n", to: "table.csv")
        let twice = try Tool.run(facts + [folder.path(of: "bad.ndjson")])
        #expect(
            twice.status == 65 && twice.errors.contains(":4:1: error: facts.repeated-key: "),
            "\(twice.errors)"
        )
        #expect(try folder.read("app.facts") == Array("old".utf8))
        #expect(String(decoding: try folder.read("bad.ndjson"), as: UTF8.self).contains(#""row":"2,,x,,""#))
    }

    @Test(
        "must have names that the service loads",
        arguments: [".rules", "a b.rules", "\u{FC}.rules", ".a.rules", "a$.rules", "x.json"]
    )
    func names(name: String) throws {
        let before = try contents()
        for command in ["compile", "restamp"] {
            let source = command == "compile" ? "rules.json" : "app.rules"
            let run = try Tool.run([command, folder.path(of: source), "-o", folder.path(of: name)])
            #expect(run.status == 64, "\(run.errors)")
        }
        #expect(try contents() == before)
    }

    @Test("need an existing directory, else the tool ends with 74 and not as for missing input")
    func missingDirectory() throws {
        let rules = folder.path(of: "rules.json")
        let place = folder.path(of: "none") + "/app"
        let table = [
            "facts", "compile", folder.path(of: "table.csv"), "--schema", rules, "--max-bad", "50",
            "--skip-bad",
        ]
        let rows: [([String], String)] = [
            (["compile", rules, "-o", place + ".rules"], place + ".rules"),
            (["restamp", folder.path(of: "app.rules"), "-o", place + ".rules"], place + ".rules"),
            (table + [folder.path(of: "bad.ndjson"), "-o", place + ".facts"], place + ".facts"),
            (table + [place + ".ndjson", "-o", folder.path(of: "new.facts")], place + ".ndjson"),
        ]
        for (arguments, path) in rows {
            let run = try Tool.run(arguments)
            #expect(run.status == 74, "\(run.errors)")
            #expect(run.errors.hasPrefix("\(path): error: system.enoent: open"), "\(run.errors)")
        }
        #expect(try folder.read("bad.ndjson") == Array("old".utf8))
    }
}
