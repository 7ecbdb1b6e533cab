import Support
import System
import Testing

/// The timers for the store, and the services that they start.
@Suite("The units for the store")
struct TimerTests {
    private static let analyze = "/usr/bin/systemd-analyze"

    private static func unit(_ name: String) throws -> String {
        String(decoding: try SourceFile.read("\(SourceFile.root)/examples/\(name)"), as: UTF8.self)
    }

    /// Returns the words of the command that a service runs, without the name of the program.
    private static func words(_ name: String) throws -> [String] {
        let lines = try unit(name).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("ExecStart=/usr/bin/retentionctl ") })
        return line.split(separator: " ").dropFirst().map(String.init)
    }

    @Test("are units that systemd accepts", .enabled(if: (try? FileStatus(path: analyze)) != nil))
    func accepted() throws {
        let folder = try TemporaryDirectory()
        let program = try ProgramRun.product("retentionctl")
        let names = [
            "retention-prune.service", "retention-prune.timer", "retention-recover@.service",
            "retention-recover@.timer", "retention-forward.service", "retentiond-facts.timer",
            "retentiond-facts.service", "retentiond-facts-push.service",
        ]
        let paths = try names.map { name in
            // A template is checked as one of its instances.
            let instance = name.replacing("@", with: "@Production")
            let unit = try Self.unit(name).replacing("/usr/bin/retentionctl", with: program)
            try folder.write(unit, to: instance)
            return folder.path(of: instance)
        }
        let run = try ProgramRun.run(Self.analyze, ["verify", "--man=no"] + paths)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(
            try Self.words("retention-forward.service").prefix(3) == ["notifications", "forward", "--follow"])
    }

    @Test("prune with the configuration alone")
    func prune() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 3)
        try world.folder.write(
            """
            {"apps": [{"appAppleId": 1, "bundleId": "a", "environments": ["Sandbox"]}],
             "notifications": {"store": "\(address)"}}
            """,
            to: "retentiond.json"
        )
        let words = try Self.words("retention-prune.service").map { word in
            word == "/etc/retentiond/retentiond.json" ? world.folder.path(of: "retentiond.json") : word
        }
        #expect(words.contains(world.folder.path(of: "retentiond.json")))
        let run = try Tool.run(words)
        #expect(run.status == 0 && run.output.contains(#/deleted +0\n/#), "\(run.errors)")
    }

    @Test("recover with arguments that the command takes")
    func recover() throws {
        let world = try StoreWorld()
        try world.folder.write(
            """
            {"apps": [{"appAppleId": 1, "bundleId": "a", "environments": ["Production"]}],
             "notifications": {"store": "sqlite:\(world.folder.path(of: "store.db"))"}}
            """,
            to: "retentiond.json"
        )
        let places = [
            "%i": "Production", "/etc/retentiond/retentiond.json": world.folder.path(of: "retentiond.json"),
            "/etc/retentiond/apple.json": world.folder.path(of: "apple.json"),
        ]
        let words = try Self.words("retention-recover@.service").map { places[$0] ?? $0 }
        #expect(places.values.allSatisfy(words.contains))
        // Everything is there but the profile, so the command gets as far as that.
        let run = try Tool.run(words)
        #expect(run.status == 65 && run.errors.contains("apple.json"), "\(run.status) \(run.errors)")
    }
}
