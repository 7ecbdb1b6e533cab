import Cryptography
import Support
import System
import Testing

@Suite("The logs that a report reads")
struct ReportLogTests {
    @Test("are those of the configuration, with what logrotate has renamed, each record once")
    func rotated() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 10)
        try world.folder.write("\(IdentifierKey.make().text)\n", to: "identifier.key", permissions: 0o600)
        // One has 7 records, the other 5.
        for (log, name) in [("a", "decisions.ndjson-20261128"), ("b", "decisions.ndjson.1")] {
            let bytes = try SourceFile.read(SourceFile.root + "/Tests/Effect/Logs/\(log).ndjson")
            try world.folder.write(String(decoding: bytes, as: UTF8.self), to: name)
        }
        try world.folder.write("no log", to: "decisions")
        let place = { (name: String) in world.folder.path(of: name) }
        try world.folder.write(
            """
            {"apps": [{"appAppleId": 6745974591, "bundleId": "com.example.app", "environments": ["Production"]}],
             "identifierKeyFile": "\(place("identifier.key"))", "log": {"decisions": "\(place("decisions.ndjson"))"},
             "notifications": {"store": "\(address)"}}
            """, to: "retentiond.json")
        try world.folder.write(
            """
            {"format": 1, "app": {"appAppleId": 6745974591, "bundleId": "com.example.app"},
             "environment": "Production", "default": {"serve": "none"}}
            """, to: "rules.json")
        func read() throws -> String {
            let run = try Tool.run([
                "report", "--rules", place("rules.json"), "--config", place("retentiond.json"),
            ])
            #expect(run.status == 0, "\(run.errors)")
            return run.errors
        }
        let first = try read()
        #expect(first.hasPrefix("read 12 new decision records"), "\(first)")
        #expect(try read().hasPrefix("read 0 new decision records"))
        for name in ["decisions.ndjson-20261128", "decisions.ndjson.1"] {
            try Directory.removeFile(path: place(name))
        }
        #expect(try read().hasPrefix("no log at \(place("decisions.ndjson"))"))
        let other = try Tool.run([
            "report", "--rules", place("rules.json"), "--config", place("retentiond.json"), "--environment",
            "Sandbox",
        ])
        #expect(other.status == 65 && other.errors.contains("error: input.other-app: "), "\(other.errors)")
    }

    @Test("have no part in a report from sums, which refuses what only logs or plans have")
    func sums() throws {
        let sums = SourceFile.root + "/examples/report/sums.ndjson"
        let needsRules = "--now, --log, --identifier-key, --store and --config need --rules."
        for (options, words) in [
            (["--statistics", sums, "--now", "2026-11-28T00:00:00Z"], needsRules),
            (["--statistics", sums, "--log", "a"], needsRules),
            (["--statistics", sums, "--viewers", "400"], "--viewers needs --plan."),
            (["--statistics", sums, "--config", "a"], needsRules),
            (["--plan", "--html", "a"], "--html, --statistics-out and --rate do not go with --plan."),
        ] {
            let run = try Tool.run(["report"] + options)
            #expect(run.status != 0 && run.errors.contains(words), "\(run)")
        }
        let all = try Tool.run(["report", "--statistics", sums]).output
        let few = try Tool.run(["report", "--statistics", sums, "--tap-share", "0.5"]).output
        #expect(all.contains("+1.4 points would be found") && few.contains("+0.7 points would be found"))
    }
}
