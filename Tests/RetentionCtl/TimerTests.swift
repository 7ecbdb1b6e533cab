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
        for name in ["retention-prune", "retention-recover@"] {
            // A template is checked as one of its instances.
            let instance = name.hasSuffix("@") ? name + "Production" : name
            for kind in ["service", "timer"] {
                try folder.write(
                    Self.unit("\(name).\(kind)").replacing("/usr/bin/retentionctl", with: program),
                    to: "\(instance).\(kind)")
            }
            for kind in ["service", "timer"] {
                let run = try ProgramRun.run(
                    Self.analyze, ["verify", "--man=no", folder.path(of: "\(instance).\(kind)")])
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            }
        }
    }

    @Test("are in the manual of the recorder, with all other timers of examples and their number")
    func manual() throws {
        let directory = try FileDescriptor.openDirectory(path: SourceFile.root + "/examples")
        let names = try Directory.names(in: directory, limitCount: 1_000).filter { $0.hasSuffix(".timer") }
        let page = try ManualPage.text("retentiond-recorder.8.md")
        let section = try #require(page.split(separator: "\n# ").first { $0.hasPrefix("TIMERS\n") })
        for name in names { #expect(section.contains("`\(name)`\n:"), "\(name)") }
        let count = try #require([2: "Two", 3: "Three", 4: "Four"][names.count])
        #expect(section.contains("\(count) timers of systemd ship"))
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
        #expect(run.status == 0 && run.output.hasPrefix("deleted 0 notifications"), "\(run.errors)")
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
        #expect(run.status == 66 && run.errors.contains("apple.json"), "\(run.status) \(run.errors)")
    }
}
