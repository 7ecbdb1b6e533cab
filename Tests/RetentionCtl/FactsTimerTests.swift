import Support
import System
import Testing

/// The shipped units that build facts every hour and push them.
@Suite("The timer of facts")
struct FactsTimerTests {
    private static let names = [
        "retentiond-facts.timer", "retentiond-facts.service", "retentiond-facts-push.service",
    ]
    private static let builtFile = "/var/lib/retentiond/facts/com.example.app.facts"

    private static func unit(_ name: String) throws -> String {
        String(decoding: try SourceFile.read(SourceFile.root + "/examples/" + name), as: UTF8.self)
    }

    /// The values of a setting in a unit.
    private static func values(_ name: String, in unit: String) -> [String] {
        unit.split(separator: "\n").filter { $0.hasPrefix(name + "=") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }

    @Test("names a command that builds the file again and again, which is then published")
    func commands() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 40)
        try world.folder.write(
            """
            {"apps": [{"appAppleId": 531412, "bundleId": "com.example.app", "environments": ["Sandbox"]}],
             "notifications": {"store": "\(address)"}}
            """,
            to: "retentiond.json"
        )
        try world.folder.write(
            """
            {"app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "Sandbox",
             "facts": {"status": "string", "offersAccepted": "int"}}
            """,
            to: "rules.json"
        )
        try world.folder.makeDirectory("facts")
        func placed(_ line: String) -> [String] {
            let paths = [
                ("/etc/retentiond/", world.folder.path + "/"),
                ("/var/lib/retentiond/facts/", world.folder.path(of: "facts/")),
            ]
            let text = paths.reduce(line) { text, path in text.replacing(path.0, with: path.1) }
            return text.split(separator: " ").map(String.init)
        }
        let service = try Self.unit("retentiond-facts.service")
        let build = try #require(Self.values("ExecStart", in: service).first)
        #expect(build.hasSuffix(" -o " + Self.builtFile))
        let words = placed(build)
        #expect(words[0] == "/usr/bin/retentionctl")
        for _ in 0..<2 {
            let run = try Tool.run(Array(words.dropFirst()))
            #expect(run.status == 0 && run.output.contains(#/ subscribers +5\n/#), "\(run)")
        }
        // Whoever pushes is another user, of the group of the file's directory.
        let built = world.folder.path(of: "facts/com.example.app.facts")
        #expect(try FileStatus(path: built).permissions == 0o600)
        let open = placed(try #require(Self.values("ExecStartPost", in: service).first))
        #expect(try ProgramRun.run(open[0], Array(open.dropFirst())).status == 0)
        #expect(try FileStatus(path: built).permissions == 0o640)
        #expect(Self.values("OnSuccess", in: service) == ["retentiond-facts-push.service"])
        // PublishTests has what publish does.
        let pushes = Self.values("ExecStart", in: try Self.unit("retentiond-facts-push.service"))
        #expect(
            pushes == ["/usr/bin/retentionctl publish --facts \(Self.builtFile) --host local --confirm"])
    }
}
