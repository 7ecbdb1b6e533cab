import Support
import System
import Testing

@Suite("A start of retentionctl")
struct StartTests {
    @Test("knows its arguments also when a preloaded library changes the environment")
    func preloadedLibrary() throws {
        let run = try ProgramRun.run(
            ProgramRun.product("retentionctl"), ["--version"],
            environment: [PreloadedLibrary.settingVariable().environment])
        #expect(run.status == 0 && run.output.hasPrefix("retentionctl "), "\(run)")
    }

    @Test("leaves no core dump, which would hold tokens and identifiers")
    func coreDump() throws {
        let input = try FileDescriptor.pipe()
        var child = ChildProcess(
            executable: try ProgramRun.product("retentionctl"), arguments: ["retentionctl", "check", "-"],
            environment: [])
        child.descriptors = [(input.reading.number, 0)]
        let processID = try child.start()
        defer {
            try? Processes.send(.kill, to: processID)
            _ = Processes.wait(for: processID)
        }
        let isLimited = Patience.wait(seconds: 20) {
            let limits = try? FileDescriptor.openForReading(path: "/proc/\(processID)/limits").readAll(
                limitBytes: 1 << 16
            )
            return String(decoding: limits ?? [], as: UTF8.self)
                .contains(#/\nMax core file size +0 +0 /#)
        }
        #expect(isLimited)
    }

    @Test(
        "ends with 65 when standard output is closed, and does not damage its files",
        arguments: ["2>&-", ">&-", "<&- >&- 2>&-"]
    )
    func closedDescriptors(closing: String) throws {
        let folder = try TemporaryDirectory()
        try folder.write(SmallRules.source([:]), to: "rules.json")
        let rules = folder.path(of: "app.rules.json")
        func run(_ arguments: [String]) throws -> Int32 {
            let tool = try ProgramRun.product("retentionctl")
            return try ProgramRun.run("sh", ["-c", "exec \"$@\" \(closing)", "sh", tool] + arguments).status
        }
        _ = try run(["compile", folder.path(of: "rules.json"), "-o", rules])
        let check = ["check", "--ignore", "unused-message", "--ignore", "unused-fact", rules]
        #expect(try Tool.run(check).status == 0)
        #expect(
            try run(check + ["--json"]) == (closing.contains(">&- ") || closing == ">&-" ? 65 : 0)
        )
    }
}
