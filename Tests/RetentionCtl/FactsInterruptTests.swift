import Support
import System
import Testing

@Suite("A signal while facts are compiled")
struct FactsInterruptTests {
    @Test("ends the tool, which leaves no new file", arguments: [Signal.interrupt, .terminate, .hangup])
    func interrupted(signal: Signal) throws {
        let folder = try TemporaryDirectory()
        let logs = try TemporaryDirectory()
        try folder.write("old", to: "app.facts")
        let table = try FileDescriptor.pipe()
        let output = try FileDescriptor.create(path: logs.path(of: "output"), permissions: 0o600)
        let tool = try ProgramRun.product("retentionctl")
        var child = ChildProcess(
            executable: tool,
            arguments: [
                tool, "facts", "build", "-", "--format", "csv", "--schema", AnnualUpsell.rules, "-o",
                folder.path(of: "app.facts"), "--skip-bad", folder.path(of: "bad.ndjson"),
            ],
            environment: ["PATH=/usr/bin:/bin", "LANG=C"]
        )
        child.descriptors = [(table.reading.number, 0), (output.number, 1), (output.number, 2)]
        let number = try child.start()
        // The table has more bytes than a pipe holds: when all are written, the tool is in the middle of the table.
        var text = "originalTransactionId,paidPeriods,inTrial,storefront,offersAccepted,lastOfferAt\n"
        for key in 1...50_000 { text += key % 10 == 0 ? "\(key),x,,,,\n" : "\(key),6,true,USA,,\n" }
        let bytes = Array(text.utf8)
        try table.writing.write(bytes.span)
        try Processes.send(signal, to: number)
        let exit = Processes.wait(for: number)
        let said = String(decoding: try logs.read("output"), as: UTF8.self)
        #expect(exit == .signalled(signal.rawValue), "\(said)")
        let names = try Directory.names(in: FileDescriptor.openDirectory(path: folder.path), limitCount: 10)
        #expect(names == ["app.facts"])
        #expect(try folder.read("app.facts") == Array("old".utf8))
    }
}
