import Support
import System
import Testing

/// Starts under unusual conditions.
extension DaemonTests {
    @Test("reloads after its start when a HUP comes in its first moments")
    func earlyHangup() throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        try pool.start(environment: [library.environment, "SIGNAL_AT_START=\(Signal.hangup.rawValue)"])
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(try pool.ping() == "pong")
    }

    @Test(
        "ends as usual when TERM, INT or QUIT comes in its first moments",
        arguments: [.terminate, .interrupt, .quit] as [Signal]
    )
    func earlyEnd(signal: Signal) throws {
        let library = try PreloadedLibrary.signallingAtStart()
        let pool = try PoolProcess()
        try pool.start(
            environment: [library.environment, "SIGNAL_AT_START=\(signal.rawValue)"], waiting: false)
        #expect(pool.waitForEnd() == .exited(0))
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.socketPath) }
        #expect(throws: SystemCallError.self) { try FileStatus(path: pool.pidPath) }
    }

    @Test("answers as CGI that the deadline has passed when the rest of a body does not come")
    func slowBody() throws {
        let pool = try PoolProcess()
        let input = try FileDescriptor.pipe()
        let answer = try FileDescriptor.create(path: pool.folder.path(of: "answer"), permissions: 0o600)
        var child = ChildProcess(
            executable: pool.executable,
            arguments: ["retentiond", "--config", pool.configurationPath, "--allow-root", "--cgi"],
            environment: [
                "REQUEST_METHOD=POST", "CONTENT_TYPE=application/json", "CONTENT_LENGTH=5",
                "RETENTION_ENDPOINT=retention-message",
            ]
        )
        child.descriptors = [(input.reading.number, 0), (answer.number, 1)]
        // Two of five bytes have come, and the other end of the pipe stays open.
        try input.writing.write(Array("{}".utf8).span)
        #expect(Processes.wait(for: try child.start()) == .exited(0))
        let text = String(decoding: try pool.folder.read("answer"), as: UTF8.self)
        #expect(text.hasPrefix("Status: 503 ") && text.contains("\"deadline-passed\""), "\(text)")
    }
}
