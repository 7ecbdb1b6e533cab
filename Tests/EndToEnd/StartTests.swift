import Support
import Testing

extension EndToEnd {
    @Suite("A start of the release build")
    struct StartTests {
        /// Swift's own list of arguments is empty then, in a program that has the runtime in it.
        @Test("knows its arguments whatever a preloaded library does to the environment")
        func preloadedLibrary() throws {
            let library = try PreloadedLibrary.settingVariable()
            func run(_ arguments: [String]) throws -> ProgramRun {
                try ProgramRun.run(Programs.daemon(), arguments, environment: [library.environment])
            }
            let version = try run(["-v"])
            #expect(version.status == 0 && version.output.hasPrefix("retentiond/"), "\(version)")
            let wrong = try run(["--config", "", "-t"])
            #expect(wrong.status == 64 && wrong.errors.contains("--config needs a value"), "\(wrong)")
            let missing = try run(["--config", "/nowhere/retentiond.json", "-T"])
            #expect(missing.errors.contains("/nowhere/retentiond.json"), "\(missing)")
        }
    }
}
