import Support
import System
import Testing

extension EndToEnd {
    @Suite("The shipped push script")
    struct PushTests {
        @Test("ends with the server's verdict: loaded, refused, or none")
        func verdicts() throws {
            try Tester.run(TesterOptions().with { $0.startsNginx = false }) { tester in
                let bin = try Self.programs(tester)
                let good = try Self.rules(.new, tester)
                var run = try Self.push(good, tester, bin)
                #expect(run.status == 0 && run.output.contains("loaded"), "\(run.errors)")
                #expect(try tester.daemon.logCount("reload accepted") == 1)

                try tester.folder.write("garbage", to: "pushed/app.rules")
                run = try Self.push(good, tester, bin)
                #expect(run.status == 1 && run.errors.contains("data-file."), "\(run.errors)")
                #expect(
                    try tester.daemon.logCount("reload refused") == 0,
                    "the running pool was not even asked"
                )

                _ = try Self.rules(.old, tester)
                try tester.daemon.send(.quit)
                #expect(try tester.daemon.waitForExit() == .exited(0))
                run = try Self.push(good, tester, bin)
                #expect(run.status == 2 && run.errors.contains("no supervisor"), "\(run.errors)")
            }
        }

        @Test("does not take a server that cannot be asked for one that refuses")
        func noServer() throws {
            let options = TesterOptions().with {
                $0.startsDaemon = false
                $0.startsNginx = false
            }
            try Tester.run(options) { tester in
                let file = try Self.rules(.new, tester)
                let bin = try Self.programs(tester)
                // No retentiond there.
                try Directory.removeFile(path: "\(bin)/retentiond")
                var run = try Self.push(file, tester, bin)
                #expect(run.status == 2 && run.errors.contains("ended with 127"), "\(run.errors)")
                // The connection breaks after the files are there.
                for (name, status) in [("ssh", 255), ("rsync", 0)] {
                    try tester.folder.write(
                        "#!/bin/sh\nexit \(status)\n",
                        to: "bin/\(name)",
                        permissions: 0o755
                    )
                }
                run = try Self.push(file, tester, bin, host: "elsewhere")
                #expect(run.status == 2 && run.errors.contains("ended with 255"), "\(run.errors)")
                try tester.folder.write("#!/bin/sh\nexit 12\n", to: "bin/rsync", permissions: 0o755)
                run = try Self.push(file, tester, bin)
                #expect(run.status == 74)
                run = try ProgramRun.run(SourceFile.root + "/examples/push", ["host"])
                #expect(run.status == 64)
            }
        }

        private static func rules(_ rules: TestRules, _ tester: Tester) throws -> String {
            try? tester.folder.makeDirectory("pushed")
            try tester.folder.write(try rules.compiled(), to: "pushed/app.rules")
            return tester.folder.path(of: "pushed/app.rules")
        }

        /// A folder for PATH with the daemon under its own name.
        private static func programs(_ tester: Tester) throws -> String {
            try tester.folder.makeDirectory("bin")
            let script = "#!/bin/sh\nexec \(try Programs.daemon()) \"$@\"\n"
            try tester.folder.write(script, to: "bin/retentiond", permissions: 0o755)
            return tester.folder.path(of: "bin")
        }

        private static func push(
            _ file: String,
            _ tester: Tester,
            _ bin: String,
            host: String = "local"
        ) throws -> ProgramRun {
            try ProgramRun.run(
                SourceFile.root + "/examples/push",
                [host, file],
                environment: [
                    "PATH=\(bin):/usr/bin:/bin", "RETENTION_DATA=\(tester.folder.path(of: "data"))",
                    "RETENTION_CONFIG=\(tester.configurationPath)",
                ]
            )
        }
    }
}
