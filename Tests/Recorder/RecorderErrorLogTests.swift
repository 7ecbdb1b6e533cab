@testable import Recorder
import Support
import System
import Testing

@Suite("The recorder's error log")
struct RecorderErrorLogTests {
    private func lines(_ bench: RecorderBench, _ name: String) -> String {
        String(decoding: (try? bench.folder.read(name)) ?? [], as: UTF8.self)
    }

    /// Has the recorder read a configuration with this error log.
    private func reload(_ bench: RecorderBench, _ name: String) throws {
        try RecorderBench.write(#""errorLog": "\#(bench.folder.path(of: name))""#, in: bench.folder)
        bench.process.reload()
    }

    @Test("is applied by a reload, and one that cannot be opened refuses the reload")
    func reloaded() throws {
        let bench = try RecorderBench()
        try reload(bench, "error")
        #expect(lines(bench, "error").contains("message=reloaded sequence=1"))
        try reload(bench, "nowhere/error")
        let refusal = "code=error-log-unwritable reason=\"\(bench.folder.path(of: "nowhere/error")): "
        #expect(lines(bench, "error").contains(refusal), "\(lines(bench, "error"))")
        #expect(try bench.reply(Array("{}".utf8)).status == 400)
        #expect(lines(bench, "error").contains("code=signed-payload-missing"))
        try RecorderBench.write("", in: bench.folder)
        bench.process.reload()
        #expect(bench.log.contains("message=reloaded sequence=3"))
        bench.process.reopenLog()
        #expect(bench.log.contains("there is no file to reopen"))
    }

    @Test("is reopened after a rotation; when that fails, the old file and standard error say so")
    func reopened() throws {
        let bench = try RecorderBench()
        try bench.folder.makeDirectory("logs")
        try reload(bench, "logs/error")
        try Directory.rename(bench.folder.path(of: "logs/error"), to: bench.folder.path(of: "logs/error.1"))
        bench.process.reopenLog()
        #expect(lines(bench, "logs/error").hasSuffix("message=\"logs reopened\"\n"))
        #expect(lines(bench, "logs/error.1").hasSuffix("message=reloaded sequence=1\n"))
        try Directory.rename(bench.folder.path(of: "logs"), to: bench.folder.path(of: "old"))
        bench.process.reopenLog()
        for text in [lines(bench, "old/error"), bench.log] {
            #expect(text.contains("message=\"logs not reopened\" code=error-log-unwritable"), "\(text)")
        }
    }
}
