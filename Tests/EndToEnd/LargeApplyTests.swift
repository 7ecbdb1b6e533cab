import JSON
import Support
import System
import Testing
import Vocabulary

extension EndToEnd {
    /// Apple's rates spread a large catalogue over hours. The processes and the simulator share a clock that passes over
    /// the hours in which all of them would sleep (``PreloadedLibrary``).
    @Suite("catalogue apply of a large catalogue")
    struct LargeApplyTests {
        private static let app = "com.example.app"
        private static let hour: Int64 = 3_600_000

        @Test("says how long Apple's rates make it take, takes that long, and is never refused for its rate")
        func large() throws {
            let catalogue =
                Programs.runsLong
                ? LargeCatalogue(bundleId: Self.app, nameCount: 100, imagesPerName: 5, productCount: 50)
                : LargeCatalogue(bundleId: Self.app, nameCount: 19, imagesPerName: 1, productCount: 10)
            let clock = try SharedClock(.killingAndWarping())
            let world = try SimulatorWorld(apps: [Self.app], clock: clock)
            let path = try catalogue.write(in: world.folder)
            let options = world.options(.sandbox, state: "state")
            let plan = try Self.timed("plan") {
                try world.run(["catalogue", "plan", path, "--json"] + options)
            }
            #expect(plan.status == 2, "\(plan.errors)")
            let estimate = try #require(
                try Self.document(plan.output).member("estimate")?.member("milliseconds")?.int64
            )
            let begin = Clock.monotonicNanoseconds()
            let apply = try Self.timed("apply") {
                try world.run(["catalogue", "apply", path, "--confirm"] + options)
            }
            let spent = Int64((Clock.monotonicNanoseconds() - begin) / 1_000_000)
            #expect(apply.status == 0, "\(apply.output.suffix(3000)) \(apply.errors.suffix(3000))")
            #expect(apply.output.contains("; Apple's rates make them take \(estimate / Self.hour) h"))
            let waits = apply.errors.split(separator: "\n").count { $0.contains("are used up; waiting ") }
            #expect(waits >= Int(estimate / Self.hour))
            // The calls themselves take some of each hour.
            let elapsed = try clock.aheadMilliseconds() + spent
            #expect(elapsed >= estimate - 20_000)
            #expect(elapsed <= estimate + spent + 20_000)
            try Self.check(world, catalogue)
            #expect(try world.filesWithSecrets(state: "state") == [])
            let again = try Self.timed("plan afterwards") {
                try world.run(["catalogue", "plan", path] + options)
            }
            #expect(again.status == 0, "\(again)")
            print(
                "figures: \(catalogue.messageCount) messages, \(catalogue.imageCount) images,",
                "\(catalogue.defaultCount) defaults: estimate \(estimate) ms, took \(elapsed) ms, of these \(spent) ms real"
            )
        }

        /// Expects that the simulator has everything, and has refused nothing.
        private static func check(_ world: SimulatorWorld, _ catalogue: LargeCatalogue) throws {
            let root = try world.state()
            let found = root.member("state")?.member("apps")?.member(named: catalogue.bundleId)?.member(
                "Sandbox"
            )
            #expect(found?.member("images")?.count == catalogue.imageCount)
            #expect(found?.member("messages")?.count == catalogue.messageCount)
            #expect(found?.member("defaults")?.count == catalogue.defaultCount)
            #expect(found?.member("realtimeURL")?.string == "https://example.com/retention-message")
            let calls = root.member("calls")?.member(named: catalogue.bundleId)?.member("Sandbox")
            for (operation, statuses) in calls?.members ?? [] {
                let names = statuses.members.map(\.name)
                // A URL that is not set is no refusal.
                let allowed = operation == "getURL" ? ["200", "404"] : ["200"]
                #expect(Set(names).isSubset(of: allowed), "\(operation) \(names)")
            }
        }

        private static func document(_ text: String) throws -> JSONValue {
            let bytes = Array(text.utf8)
            let limits = JSONLimits(byteCount: 64 << 20, depth: 16)
            return try JSONDocument(parsing: bytes.span, limits: limits).root
        }

        private static func timed<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
            let begin = Clock.monotonicNanoseconds()
            let result = try body()
            print("figures: \(name) \((Clock.monotonicNanoseconds() - begin) / 1_000_000) ms")
            return result
        }
    }
}
