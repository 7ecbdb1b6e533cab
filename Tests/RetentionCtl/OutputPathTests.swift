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
            "compile", folder.path(of: "rules.json"), "-o", folder.path(of: "app.rules.json"),
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
        let names = try Directory.names(in: FileDescriptor.openDirectory(path: folder.path), limitCount: 100)
        var contents: [String: [UInt8]] = [:]
        for name in names { contents[name] = name == "fifo" ? [] : try folder.read(name) }
        return contents
    }

    private static let facts = ["facts", "build", "/table.csv", "--schema", "/rules.json", "-o"]

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
        ["facts", "build", "/app.facts", "--format", "csv", "--schema", "/rules.json", "-o", "/app.facts"],
        ["compile", "/app.rules.json", "-o", "/./app.rules.json"],
        ["compile", "/rules.json", "--catalogue", "/app.rules.json", "-o", "/app.rules.json"],
    ]

    @Test("are never files that it reads, and two outputs are never one file", arguments: collisions.indices)
    func collision(index: Int) throws {
        let before = try contents()
        let run = try Tool.run(Self.collisions[index].map { $0.hasPrefix("/") ? folder.path + $0 : $0 })
        #expect(run.status == 64, "\(run.errors)")
        #expect(try contents() == before)
    }

    @Test("are never the store, what SQLite keeps beside it, or another file that the command names")
    func store() throws {
        let world = try StoreWorld()
        let folder = world.folder
        let address = try world.filled(.sqlite, count: 5, name: "a.facts")
        let store = String(address.dropFirst("sqlite:".count))
        _ = try ProgramRun.run("ln", [store, folder.path(of: "hard.facts")])
        _ = try ProgramRun.run("ln", ["-s", store, folder.path(of: "soft.facts")])
        _ = try ProgramRun.run("ln", ["-s", store, folder.path(of: "copy.partial")])
        try folder.write(SmallRules.source([:]), to: "rules.json")
        let schema = ["--schema", folder.path(of: "rules.json")]
        let beside = ["-wal", "-shm", "-journal"].map { store + $0 }
        let same = [
            store, folder.path + "/./a.facts.db", folder.path(of: "hard.facts"),
            folder.path(of: "soft.facts"),
        ]
        var rows = (beside + same + [folder.path(of: "root.pem")]).map {
            ["store", "export", "-o", $0, "--config", folder.path(of: "root.pem")]
        }
        rows += (beside + [folder.path(of: "copy")]).map { ["store", "backup", $0] }
        rows += [folder.path(of: "hard.facts"), folder.path(of: "soft.facts")].map {
            ["facts", "build", "-o", $0] + schema
        }
        let before = try folder.read("a.facts.db")
        // The name of the store, and a link to it.
        for row in rows.flatMap({
            [$0 + ["--store", address], $0 + ["--store", "sqlite:" + folder.path(of: "soft.facts")]]
        }) {
            let run = try Tool.run(row)
            #expect(
                run.status == 64 && run.errors.contains("is read and would be written over"),
                "\(row) \(run.errors)")
        }
        #expect(try folder.read("a.facts.db") == before)
        #expect(beside.allSatisfy { (try? FileStatus(path: $0)) == nil })
        #expect(try Tool.run(["store", "check", "--store", address]).status == 0)
    }

    @Test("are never the key for Apple's server, nor a picture of the catalogue, nor its state")
    func catalogue() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("plan").status == 2)
        let state = world.apple.folder.path(of: "state")
        let names = try Directory.names(in: FileDescriptor.openDirectory(path: state), limitCount: 100)
        let file = try #require(names.first { $0.hasSuffix(".state.json") })
        for name in ["catalogue.json", "hero.png", "key.p8", "state/\(file)"] {
            let before = try world.apple.folder.read(name)
            let run = try world.run("status", ["--html", world.apple.folder.path(of: name)])
            #expect(
                run.status == 64 && run.errors.contains("is read and would be written over"), "\(name) \(run)"
            )
            guard !name.hasPrefix("state") else { continue }
            #expect(try world.apple.folder.read(name) == before)
        }
    }

    @Test("are not the file behind standard input either")
    func standardInput() throws {
        let before = try contents()
        let tool = try ProgramRun.product("retentionctl")
        let run = try ProgramRun.run(
            "sh",
            ["-c", #"cd "$1" && exec "$0" compile - -o app.rules.json < app.rules.json"#, tool, folder.path])
        #expect(run.status == 64, "\(run.errors)")
        #expect(try contents() == before)
    }

    @Test("are all written or none is, except that bad rows are written without a facts file")
    func order() throws {
        try Directory.make(path: folder.path(of: "taken"), permissions: 0o755)
        let table = [
            "facts", "build", folder.path(of: "table.csv"), "--schema", folder.path(of: "rules.json"),
        ]
        let facts = table + ["-o", folder.path(of: "app.facts"), "--max-bad", "50", "--skip-bad"]
        let taken = try Tool.run(facts + [folder.path(of: "taken")])
        #expect(
            taken.status == 65 && taken.errors.contains("/taken: error: system.eisdir"), "\(taken.errors)")
        #expect(try folder.read("app.facts") == Array("old".utf8))
        // One key twice: no facts file is written, but the other bad rows are, so that they can be repaired too.
        let header = "originalTransactionId,inTrial,paidPeriods,storefront,plan\n"
        try folder.write(header + "1,,,,\n2,,x,,\n1,,,,\n", to: "table.csv")
        let twice = try Tool.run(facts + [folder.path(of: "bad.ndjson")])
        #expect(
            twice.status == 65 && twice.errors.contains(":4:1: error: facts.repeated-key: "),
            "\(twice.errors)")
        #expect(try folder.read("app.facts") == Array("old".utf8))
        #expect(String(decoding: try folder.read("bad.ndjson"), as: UTF8.self).contains(#""row":"2,,x,,""#))
    }

    @Test(
        "must have names that the service loads",
        arguments: [
            ".rules.json", "a b.rules.json", "\u{FC}.rules.json", ".a.rules.json", "a$.rules.json", "x.json",
        ]
    )
    func names(name: String) throws {
        let before = try contents()
        let run = try Tool.run(["compile", folder.path(of: "rules.json"), "-o", folder.path(of: name)])
        #expect(run.status == 64, "\(run.errors)")
        #expect(try contents() == before)
    }

    @Test("need an existing directory, else the tool says so")
    func missingDirectory() throws {
        let rules = folder.path(of: "rules.json")
        let place = folder.path(of: "none") + "/app"
        let table = [
            "facts", "build", folder.path(of: "table.csv"), "--schema", rules, "--max-bad", "50",
            "--skip-bad",
        ]
        let rows: [([String], String)] = [
            (["compile", rules, "-o", place + ".rules.json"], place + ".rules.json"),
            (table + [folder.path(of: "bad.ndjson"), "-o", place + ".facts"], place + ".facts"),
            (table + [place + ".ndjson", "-o", folder.path(of: "new.facts")], place + ".ndjson"),
        ]
        for (arguments, path) in rows {
            let run = try Tool.run(arguments)
            #expect(run.status == 65, "\(run.errors)")
            #expect(run.errors.hasPrefix("\(path): error: system.enoent: open"), "\(run.errors)")
        }
        #expect(try folder.read("bad.ndjson") == Array("old".utf8))
    }
}
