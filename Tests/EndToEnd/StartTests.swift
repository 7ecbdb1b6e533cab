import Support
import Testing

extension EndToEnd {
    @Suite("A start of the release build")
    struct StartTests {
        /// With such a library, Swift's own list of arguments is empty in a program that has the Swift runtime linked
        /// into it.
        @Test("knows its arguments also when a preloaded library changes the environment")
        func preloadedLibrary() throws {
            let library = try PreloadedLibrary.settingVariable()
            func run(_ arguments: [String]) throws -> ProgramRun {
                try Programs.run(Programs.daemon(), arguments, environment: [library.environment])
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
