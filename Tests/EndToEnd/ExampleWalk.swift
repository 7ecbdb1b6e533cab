import Support
import System
import Testing

/// A script of `examples` that walks through the product.
enum ExampleWalk {
    /// Runs a script with `--once`, and checks that it leaves neither files nor processes.
    static func run(_ name: String, tool: String) throws -> ProgramRun {
        let folder = try TemporaryDirectory()
        // nginx's workers may run as another user.
        try Directory.setPermissions(path: folder.path, to: 0o755)
        let kept = try keepingLogs()
        let run = try Programs.run(
            SourceFile.root + "/examples/" + name,
            ["--once"],
            environment: [
                "PATH=\(kept.path)/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                "TMPDIR=\(folder.path)",
                "RETENTIOND=\(try Programs.daemon())", "RETENTIOND_RECORDER=\(try Programs.recorder())",
                "RETENTIONCTL=\(tool)",
            ]
        )
        LogAudit.check(kept)
        let directory = try FileDescriptor.openDirectory(path: folder.path)
        #expect(try Directory.names(in: directory, limitCount: 100) == [], "the files are gone")
        let isQuiet = Patience.wait(seconds: 30) { processes(with: folder.path).isEmpty }
        #expect(isQuiet, "\(processes(with: folder.path))")
        return run
    }

    /// Makes a folder for the logs of a script, with a program `rm` for its PATH that keeps the logs which it removes.
    private static func keepingLogs() throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("bin")
        try folder.write(
            """
            #!/bin/sh
            for place; do
                [ ! -d "$place" ] || find "$place" -name '*.log' -exec cp --backup=numbered {} '\(folder.path)' ';'
            done
            exec /bin/rm "$@"

            """,
            to: "bin/rm",
            permissions: 0o755
        )
        return folder
    }

    /// Checks that an output has these texts in this order.
    static func expect(_ texts: [String], in output: String) throws {
        var rest = output[...]
        for text in texts {
            let found = try #require(rest.firstRange(of: text), "\(text)")
            rest = rest[found.upperBound...]
        }
    }

    /// Returns the path of a tool that does what `lines`, the lines of a shell's `case`, say of a command, and everything else
    /// as the real one.
    static func brokenTool(_ lines: String, in folder: TemporaryDirectory) throws -> String {
        let script = "#!/bin/sh\ncase $1 in \(lines) esac\nexec '\(try Programs.tool())' \"$@\"\n"
        try folder.write(script, to: "retentionctl", permissions: 0o755)
        return folder.path(of: "retentionctl")
    }

    /// The command lines of processes that have a text in them.
    private static func processes(with text: String) -> [String] {
        guard let directory = try? FileDescriptor.openDirectory(path: "/proc"),
            let names = try? Directory.names(in: directory, limitCount: 100_000)
        else { return [] }
        return names.compactMap { name in
            guard Int32(name) != nil, let bytes = try? SourceFile.read("/proc/\(name)/cmdline") else {
                return nil
            }
            let line = String(decoding: bytes, as: UTF8.self).replacing("\0", with: " ")
            return line.contains(text) ? line : nil
        }
    }
}
