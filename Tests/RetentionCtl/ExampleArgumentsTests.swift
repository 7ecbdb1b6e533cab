import Support
import Testing

/// The walks of `examples` start servers, so they do nothing when they do not understand an argument.
@Suite("The arguments of the walks")
struct ExampleArgumentsTests {
    /// Runs a walk with programs that all fail, so that it ends soon when it goes on nevertheless.
    private static func run(_ walk: String, _ arguments: [String]) throws -> ProgramRun {
        let programs = ["RETENTIOND", "RETENTIOND_RECORDER", "RETENTIONCTL", "APPSTORE_SIMULATOR"].map {
            "\($0)=/bin/false"
        }
        return try ProgramRun.run(
            SourceFile.root + "/examples/" + walk, arguments,
            environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"] + programs)
    }

    @Test(
        "are --once and --help; another one ends a walk with 64 and its usage",
        arguments: ["loop", "appstore", "quickstart"]
    )
    func arguments(walk: String) throws {
        for arguments in [["--onec"], [""], ["--once", "--once"], ["once"], ["-h", "--once"]] {
            let run = try Self.run(walk, arguments)
            #expect(run.status == 64 && run.output.isEmpty, "\(arguments): \(run)")
            #expect(run.errors.contains("examples/\(walk) --once "), "\(arguments): \(run.errors)")
        }
        #expect(try Self.run(walk, ["--onec"]).errors.hasPrefix("\(walk): unknown argument: --onec\n"))
        for argument in ["--help", "-h"] {
            let help = try Self.run(walk, [argument])
            #expect(help.status == 0 && help.errors.isEmpty, "\(help)")
            #expect(help.output.contains("examples/\(walk) --once "), "\(help.output)")
            #expect(!help.output.contains("set -euo"), "\(help.output)")
        }
    }
}
