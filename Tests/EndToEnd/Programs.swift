import Support
import System

/// Where the programs under test are.
enum Programs {
    static let nginx = "/usr/sbin/nginx"

    /// The path of the daemon: `RETENTIOND`, else the release build, else the debug build.
    static func daemon() throws -> String { try path(of: "retentiond") }

    /// The path of the tool: `RETENTIONCTL`, else the release build, else the debug build.
    static func tool() throws -> String { try path(of: "retentionctl") }

    /// The path of the recorder: `RETENTIOND_RECORDER`, else the release build, else the debug build.
    static func recorder() throws -> String { try path(of: "retentiond-recorder") }

    /// Runs a program to its end, and searches its standard error for secrets.
    static func run(
        _ executable: String, _ arguments: [String], input: [UInt8] = [],
        environment: [String] = ["PATH=/usr/bin:/bin", "LANG=C"]
    ) throws -> ProgramRun {
        let run = try ProgramRun.run(executable, arguments, input: input, environment: environment)
        LogAudit.check(run.errors, of: executable)
        return run
    }

    private static func path(of program: String) throws -> String {
        let variable = program.uppercased().replacing("-", with: "_")
        if let path = ProcessEnvironment.value(of: variable) { return path }
        for kind in ["release", "debug"] {
            let path = SourceFile.root + "/.build/\(kind)/\(program)"
            if (try? FileStatus(path: path)) != nil { return path }
        }
        throw Complaint("there is no \(program); run swift build --product \(program)")
    }

    /// True when the fault tests run long: they kill a worker in each of 30 seconds instead of 6, damage the rules file
    /// 400 times instead of 80 and the facts file 200 times instead of 40, wait up to 75 seconds for a stopped loader
    /// to be ended, and use the shipped deadlines. They kill `catalogue apply` at every point instead of 8 of each kind,
    /// and apply a catalogue of 2,000 messages instead of 380. They kill the recorder 300 times instead of 6, and a
    /// recovery after an outage 30 times instead of 10.
    static var runsLong: Bool { ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1" }
}
