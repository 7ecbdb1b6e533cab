import Support
import System
import Testing

@Suite("A subprocess")
struct SubprocessTests {
    private func shell(_ script: String) -> Subprocess {
        Subprocess(
            executable: "/bin/sh", arguments: ["sh", "-c", script],
            environment: ["PATH=/usr/bin:/bin", "WORD=a b"])
    }

    @Test(
        "reports how it ended and what it wrote",
        arguments: [
            ("printf '%s' \"$WORD\"; printf err >&2", ChildExit.exited(0), "a b", "err"),
            ("exit 3", .exited(3), "", ""), ("kill -9 $$", .signalled(9), "", ""),
            ("cat; echo end", .exited(0), "end\n", ""),
        ]
    )
    func result(script: String, exit: ChildExit, output: String, errors: String) throws {
        let run = try shell(script).run()
        #expect(run.exit == exit && !run.isTruncated)
        #expect(run.output == Array(output.utf8) && run.errors == Array(errors.utf8))
    }

    @Test("never waits for its reader, and keeps only as many bytes as it may")
    func limit() throws {
        var process = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; exit 5")
        process.outputByteCount = 1000
        let run = try process.run()
        #expect(run.exit == .exited(5) && run.isTruncated)
        #expect(run.output.count == 1000 && run.errors.count == 1000)
    }

    @Test("is killed when its time is over, also when it ignores SIGTERM")
    func timeout() throws {
        for ignores in ["", "trap '' TERM; "] {
            // The shell becomes the program that sleeps.
            var process = shell("\(ignores)exec sleep 1000")
            process.timeoutMilliseconds = 300
            #expect(try process.run().exit == nil)
        }
    }

    @Test("is killed with all that it has started, also what ignores SIGTERM or has lost its parent")
    func tree() throws {
        let folder = try TemporaryDirectory()
        for script in [
            "sleep 1000 & echo $! >>numbers; wait",
            "sh -c 'trap \"\" TERM; sleep 1000 & echo $! >>numbers; wait' & wait",
            "sh -c 'sleep 1000 & echo $! >>numbers; trap \"\" TERM; exec sleep 1000'",
        ] {
            var process = shell("cd '\(folder.path)'; \(script)")
            process.timeoutMilliseconds = 500
            #expect(try process.run().exit == nil)
        }
        let numbers = String(decoding: try folder.read("numbers"), as: UTF8.self).split(separator: "\n")
        #expect(numbers.count == 3)
        for number in numbers {
            let path = "/proc/\(number)/comm"
            #expect(Patience.wait(seconds: 5) { (try? FileStatus(path: path)) == nil }, "\(number) runs")
        }
    }

    @Test("has ended when its first process has, although another one keeps the outputs open")
    func leftBehind() throws {
        let run = try shell("sleep 1000 & echo $!").run()
        let number = try #require(Int32(String(decoding: run.output, as: UTF8.self).dropLast()))
        #expect(run.exit == .exited(0) && Processes.exists(number))
        try Processes.send(.kill, to: number)
    }

    @Test("that cannot be started is an error")
    func missing() throws {
        let process = Subprocess(executable: "/nonexistent", arguments: ["x"], environment: [])
        let error = #expect(throws: SystemCallError.self) { try process.run() }
        #expect(error?.code == "system.enoent")
    }

    @Test("is found by its name in the search path, and only when it may be run")
    func lookup() throws {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("one")
        try folder.makeDirectory("one/tool")
        try folder.makeDirectory("two")
        try folder.write("", to: "two/tool", permissions: 0o644)
        try folder.makeDirectory("three")
        try folder.write("", to: "three/tool", permissions: 0o755)
        let path = ["", "one", "two", "three"].map { $0.isEmpty ? "" : folder.path(of: $0) }.joined(
            separator: ":"
        )
        #expect(Subprocess.path(of: "tool", searchPath: path) == folder.path(of: "three/tool"))
        #expect(Subprocess.path(of: "./tool", searchPath: path) == "./tool")
        #expect(Subprocess.path(of: "other", searchPath: path) == nil)
        #expect(Subprocess.path(of: "", searchPath: path) == nil)
    }
}
