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
        // One has 7 records, of which 1 is of Sandbox, the other 5.
        for (log, name) in [("a", "decisions.ndjson.1"), ("b", "decisions.ndjson")] {
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
        #expect(first.hasPrefix("read 11 new decision records, 1 of other apps"), "\(first)")
        #expect(try read().hasPrefix("read 0 new decision records"))
    }
}
