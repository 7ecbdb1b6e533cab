import Support
import System
import Testing

@Suite("retentionctl apple over TLS")
struct AppleTLSTests {
    @Test("sends its token only to a server that the given authorities vouch for")
    func authorities() throws {
        let tool = try Tool()
        let world = try AppleWorld { _ in .close }
        let port = try LoopbackPort.free(1)[0]
        let sink = try FileDescriptor.create(path: tool.folder.path(of: "log"), permissions: 0o600)
        // With -www the server answers every GET with a page about the connection.
        var child = ChildProcess(
            executable: "/usr/bin/openssl",
            arguments: [
                "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-www",
                "-cert", "\(tool.authority)/tls-server.pem", "-key", "\(tool.authority)/tls-server.key",
            ],
            environment: ["PATH=/usr/bin:/bin"]
        )
        child.descriptors = [(sink.number, 1), (sink.number, 2)]
        let number = try child.start()
        defer {
            try? Processes.send(.kill, to: number)
            _ = Processes.wait(for: number)
        }
        func run(_ more: [String]) throws -> ProgramRun {
            try world.run(["auth"], more: ["--base-url", "https://127.0.0.1:\(port)"] + more)
        }
        // A refused certificate has the code of a server that does not listen yet, so its words are waited for.
        var refused = try run([])
        for _ in 0..<100 where !refused.errors.contains("TLS failed") {
            _ = try Readiness.wait(for: [], timeoutMilliseconds: 50)
            refused = try run([])
        }
        #expect(
            refused.status == 69 && refused.errors.contains("error: http.unreachable: "), "\(refused.errors)")
        let trusted = try run(["--cacert", "\(tool.authority)/tls-authority.pem"])
        #expect(trusted.status == 69, "\(trusted)")
        #expect(trusted.errors.contains("error: apple.bad-answer: "), "\(trusted.errors)")
        let missing = try run(["--cacert", tool.folder.path(of: "none.pem")])
        #expect(
            missing.status == 65 && missing.errors.contains("error: http.bad-authorities: "), "\(missing)")
    }
}
