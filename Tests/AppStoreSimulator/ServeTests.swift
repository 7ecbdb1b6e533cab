import Cryptography
import JSON
import Support
import System
import Testing

@Suite("appstore-simulator serve")
struct SimulatorTests {
    private static let path = "/inApps/v1/messaging/message/33333333-3333-4333-8333-333333333333"
    private static let list = "/inApps/v1/messaging/message/list"
    private static let message = #"{"header":"Stay","body":"Please"}"#

    @Test(
        "serves until a signal, and goes on with its state",
        arguments: [Signal.terminate, .interrupt, .quit, .hangup]
    )
    func state(signal: Signal) throws {
        let folder = try SimulatorProcess.makeFolder()
        let options = ["--state", folder.path(of: "state.json"), "--log"]
        let first = try SimulatorProcess(options, in: folder)
        #expect(try first.send("PUT", Self.path, Self.message).status == 200)
        #expect(try first.send("PUT", Self.path, Self.message).status == 409)
        #expect(try first.send("GET", Self.list, environment: nil).status == 400)
        #expect(try first.send("GET", Self.list, environment: "Xcode").status == 400)
        let token = try first.token()
        #expect(try first.end(signal) == .exited(0))
        #expect(first.log.contains("Sandbox PUT \(Self.path) 200\n"))
        #expect(!first.log.contains(token.dropFirst("Bearer ".count)))
        #expect(try FileStatus(path: folder.path(of: "state.json")).permissions == 0o600)
        let second = try SimulatorProcess(options, in: folder)
        let reply = try second.send("GET", Self.list)
        #expect(String(decoding: reply.body, as: UTF8.self).contains("33333333-3333-4333-8333-333333333333"))
        #expect(try second.send("GET", Self.list, environment: "Production").body.count < reply.body.count)
        #expect(try second.end() == .exited(0))
    }

    @Test("answers others while a slow answer waits, which comes at once when the simulator ends")
    func slow() throws {
        let folder = try SimulatorProcess.makeFolder()
        let process = try SimulatorProcess(
            ["--fault", "slow-answer=100:listMessages", "--fault-milliseconds", "60000"], in: folder)
        // More slow answers than the simulator could have threads.
        let waiting = try (0..<40).map { _ in try process.begin("GET", Self.list) }
        #expect(try process.send("PUT", Self.path, Self.message).status == 200)
        let images = Self.list.replacing("/message/list", with: "/image/list")
        #expect(try process.send("GET", images).status == 200)
        #expect(waiting.allSatisfy { $0.isSilent() })
        try Processes.send(.terminate, to: process.processID)
        for client in waiting { #expect(try client.readReply().status == 200) }
        #expect(try process.end() == .exited(0))
    }

    @Test("leaves soon although a client reads its answer slowly, or no longer", arguments: [true, false])
    func slowReader(reads: Bool) throws {
        let folder = try SimulatorProcess.makeFolder()
        let byteCount = 8 << 20
        let parts = ["null", "\"https://\(String(repeating: "a", count: byteCount))\""].map { url in
            #"{"uploadCount":0,"realtimeURL":\#(url),"images":{},"messages":{},"defaults":{},"deletedImages":[],"#
                + #""approvesAtOnce":false,"deletedMessages":[],"notices":{"notifications":[],"subscribers":[],"#
                + #""changeCount":0,"usedNonces":[]}}"#
        }
        try folder.write(
            #"{"apps":{"com.example.app":{"hasPassedTest":true,"tests":[],"#
                + #""Production":\#(parts[0]),"Sandbox":\#(parts[1])}}}"#,
            to: "state.json"
        )
        let process = try SimulatorProcess(["--state", folder.path(of: "state.json")], in: folder)
        let client = try process.begin("GET", "/appstore-simulator/state")
        var received = try client.readBytes(timeoutMilliseconds: 60_000).count
        try Processes.send(.terminate, to: process.processID)
        // The client reads at most 64 KiB each time, so half of the answer takes about 20 seconds. After that the simulator
        // could have sent the rest.
        var exit: ChildExit?
        for _ in 0..<60 where exit == nil && received < byteCount / 2 {
            if reads { received += (try? client.readBytes())?.count ?? 0 }
            Patience.pause(milliseconds: 300)
            exit = process.collect()
        }
        #expect(exit == .exited(0), "\(received)")
    }

    @Test("tells nginx to close the connection of a lost answer")
    func lost() throws {
        let folder = try SimulatorProcess.makeFolder()
        let process = try SimulatorProcess(
            ["--fault", "lost-answer=100:uploadMessage"], in: folder)
        let reply = try process.send("PUT", Self.path, Self.message)
        #expect(reply.status == 599 && reply.body.isEmpty)
        #expect(try process.send("PUT", Self.path, Self.message).status == 599)
        let state = try process.send("GET", "/appstore-simulator/state")
        #expect(String(decoding: state.body, as: UTF8.self).contains(#""uploadMessage":{"lost":2}"#))
        #expect(try process.end() == .exited(0))
    }

    @Test(
        "refuses options that cannot be right",
        arguments: [
            (["--listen", "0.0.0.0:9000"], 64, "loopback"), (["--listen", "systemd"], 64, "--listen"),
            (["--speed", "0"], 64, "--speed"), (["--fault", "explosion=1"], 64, "explosion=1"),
            (["--fault", "lost-answer=101"], 64, "lost-answer=101"),
            (["--fault", "lost-answer=1:sing"], 64, "lost-answer=1:sing"),
            (["--fault-milliseconds", "0"], 64, "--fault-milliseconds"),
            (["--app", "com.example.b=x"], 64, "--app"),
            (["--app", "com.example.app=2"], 64, "twice"), (["--transaction", "1=odd"], 64, "odd"),
            (["--without-access", "com.example.c"], 64, "--without-access"),
            (["--subscription", "a=-1"], 64, "--subscription"), (["--subscription", "a=1:0"], 64, "a=1:0"),
            (["--subscription", "a=1", "--subscription", "a=2"], 64, "twice"),
            (["--offer", "a=b:1:1"], 64, "--offer needs"),
            (["--subscription", "a=1", "--offer", "a=b:1:13"], 64, "a=b:1:13"),
            (["--subscription", "a=1", "--offer", "a=b:1"], 64, "a=b:1"),
            (["--total-requests", "0"], 64, "app-store-traffic.out-of-range"),
            (["--key", "B=/nonexistent"], 65, "system.enoent"),
            (["--key", "B=/dev/null"], 65, "cryptography."),
            (["--state", "/dev/null/x"], 65, "system.enotdir"),
            (["--listen-group", "no such group"], 65, "simulator.no-group"),
        ]
    )
    func options(options: [String], status: Int32, message: String) throws {
        let folder = try SimulatorProcess.makeFolder()
        let run = try Tool.simulate(SimulatorProcess.arguments(folder) + options)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("refuses a state that is not its own")
    func badState() throws {
        let folder = try SimulatorProcess.makeFolder()
        try folder.write("{}", to: "state.json")
        let run = try Tool.simulate(
            SimulatorProcess.arguments(folder) + ["--state", folder.path(of: "state.json")]
        )
        #expect(run.status == 65)
        #expect(run.errors.contains("simulator-state.damaged"))
        #expect(try folder.read("state.json") == Array("{}".utf8))
    }
}
