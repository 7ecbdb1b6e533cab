import Support
import Testing

/// What a person types and sees. A file has shell commands behind `$`, with further lines behind `>`, each followed by all that it
/// prints and its exit status when that is not 0. All commands of a file run in one folder, which has the examples of this package.
/// `UPDATE_GOLDEN=1` rewrites the files.
@Suite("Transcripts of retentionctl")
struct TranscriptTests {
    private static let folder = "Tests/RetentionCtl/Transcripts"

    @Test("are as the tools behave", arguments: try SourceFile.paths(below: folder))
    func transcript(path: String) throws {
        let directory = try TemporaryDirectory()
        _ = try ProgramRun.run("ln", ["-s", SourceFile.root + "/examples", directory.path(of: "examples")])
        let products = SourceFile.folder(of: try ProgramRun.product("retentionctl"))
        let text = String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var seen = ""
        var command = ""
        func finish() throws {
            guard !command.isEmpty else { return }
            let run = try ProgramRun.run(
                "sh", ["-c", "cd '\(directory.path)' && { \(command)\n} 2>&1"],
                environment: ["PATH=\(products):/usr/bin:/bin", "LANG=C", "TZ=UTC"])
            let output = run.output.replacing(directory.path + "/", with: "")
            seen += output + (output.isEmpty || output.hasSuffix("\n") ? "" : "\n")
            if run.status != 0 { seen += "[\(run.status)]\n" }
            command = ""
        }
        for line in lines {
            if line.hasPrefix("$ ") {
                try finish()
                command = String(line.dropFirst(2))
            } else if line.hasPrefix("> ") || line == ">" {
                command += "\n" + line.dropFirst(2)
            } else if line.hasPrefix("# ") {
                try finish()
            } else {
                continue
            }
            seen += line + "\n"
        }
        try finish()
        try GoldenFile.check(seen, path)
    }
}
