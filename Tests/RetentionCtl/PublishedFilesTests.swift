import JSON
import Support
import System
import Testing

/// What publishing does to the files of a host.
extension PublishTests {
    @Test("says the rows of the facts before and after, and takes away more than half only when told to")
    func fewerRows() throws {
        let world = try PublishWorld()
        func facts(_ count: Int) throws -> String {
            let lines = ["originalTransactionId,paidPeriods"] + (1...count).map { "\($0),1" }
            try world.folder.write(lines.joined(separator: "\n"), to: "table.csv")
            try world.folder.write(
                """
                {"app": {"appAppleId": 7, "bundleId": "com.example.app"}, "environment": "Production",
                 "facts": {"paidPeriods": "int"}}
                """,
                to: "schema.json"
            )
            let path = world.folder.path(of: "new.facts")
            let words = [
                world.folder.path(of: "table.csv"), "--schema", world.folder.path(of: "schema.json"), "-o",
                path,
            ]
            #expect(try Tool.run(["facts", "build"] + words).status == 0)
            return path
        }
        func entry(_ rows: String) -> String {
            """
            [{"name": "app.facts", "kind": "facts", "appAppleId": 7, "environment": "Production",
              "digest": "\(String(repeating: "a", count: 64))"\(rows)}]
            """
        }
        try world.addHost("one", files: entry(#", "rows": 10"#))
        let few = ["--facts", try facts(4)]
        let refused = try world.run(few + ["--confirm"])
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.output.contains("; facts: 10 rows before, 4 rows after; copy "), "\(refused.output)")
        #expect(
            refused.errors.contains(
                "error: publish.fewer-rows: one serves facts of 10 rows, and these have 4 ("
            )
        )
        #expect(try world.names("one/data").isEmpty)
        let json = try Tool.document(world.run(few + ["--allow-fewer-rows", "--json"])).root
        let host = json.member("hosts")?.elements.first
        #expect(host?.member("factsRowsBefore")?.int64 == 10 && host?.member("factsRows")?.int64 == 4)
        #expect(try world.run(["--facts", facts(5)]).status == 2)
        // Facts alone need no rules, and nothing is asked of Apple.
        let alone =
            ["publish", "--environment", "Production", "--facts", try facts(6)] + world.options(["one"])
        let planned = try Tool.run(alone)
        #expect(planned.status == 2, "\(planned)")
        #expect(planned.output.hasPrefix("Facts of 7 in Production: 6 rows\n"), "\(planned.output)")
        #expect(planned.output.contains("; facts: 10 rows before, 6 rows after; copy app.facts to "))
        #expect(try Tool.run(["publish", "--environment", "Sandbox"] + alone.dropFirst(3)).status == 65)
        _ = try facts(5)
        // An older host does not say it, and a new one has none.
        for (name, files, words) in [("older", entry(""), "not known how many"), ("new", "[]", "no")] {
            try world.addHost(name, files: files)
            let run = try world.run(few, hosts: [name])
            #expect(
                run.status == 2 && run.output.contains("; facts: \(words) rows before, 5 rows after;"),
                "\(run)")
        }
    }

    @Test(
        "puts the former file back when a host refuses the new one, and ends all processes of a late command"
    )
    func takenBack() throws {
        let world = try PublishWorld()
        let entry = """
            [{"name": "app.rules.json", "kind": "rules", "appAppleId": 7, "environment": "Production",
              "digest": "\(String(repeating: "a", count: 64))"}]
            """
        let refuse = """
            sed -i 's/"sequence":4,"result":"loaded"/"sequence":5,"result":"refused","code":"x","message":"y"/' served.json
            exit 1
            """
        try world.addHost("one", files: entry, reload: refuse)
        try world.folder.write("former", to: "hosts/one/data/app.rules.json")
        let run = try world.run(["--confirm"])
        #expect(run.status == 1 && run.errors.hasPrefix("error: publish.refused: one: refused"), "\(run)")
        #expect(run.errors.contains(" (the files that were there before are there again)"), "\(run.errors)")
        #expect(try world.names("one/data") == ["app.rules.json"])
        #expect(try world.folder.read("hosts/one/data/app.rules.json") == Array("former".utf8))

        try world.addHost("two", files: entry, reload: "sleep 1000 & echo $! >sleeper; wait")
        let late = try world.run(["--confirm", "--timeout", "5"], hosts: ["two"])
        #expect(late.status == 1 && late.errors.contains("gave no verdict within 5 s"), "\(late)")
        let sleeper = String(decoding: try world.folder.read("hosts/two/sleeper").dropLast(), as: UTF8.self)
        let comm = "/proc/\(sleeper)/comm"
        #expect(Patience.wait(seconds: 5) { (try? FileStatus(path: comm)) == nil }, "\(sleeper) runs")
    }
}
