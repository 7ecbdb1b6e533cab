import Cryptography
import Support
import Synchronization
import System
import Testing

@Suite("The rates of retentionctl apple", .timeLimit(.minutes(5)))
struct AppleRateTests {
    @Test("are shared by processes that run at the same moment, and survive those that are killed")
    func shared() throws {
        let world = try AppleWorld { _ in AppleWorld.json(#"{"realtimeURL":"https://a"}"#) }
        // All but ten calls of the hour are used up.
        let bucket = Clock.wallMilliseconds() / 10_000
        let state =
            #"{"kind":"retentionctl-rates","format":1,"windows":[{"app":"com.example.app","environment":"Sandbox","#
            + #""server":"\#(world.server.url(""))","operation":"getURL","blockedUntil":0,"calls":[[\#(bucket),350]]}]}"#
        try world.folder.makeDirectory("state", permissions: 0o700)
        try world.folder.write(state, to: "state/rates.json", permissions: 0o600)
        // Five processes are killed while they run, at different moments. Their tokens have the identifier of another key.
        let words = ["url", "get", "--longest-wait", "0"] + world.options + ["--key-id", "KILLED0001"]
        for delay in 1...5 {
            var child = ChildProcess(
                executable: try ProgramRun.product("retentionctl"),
                arguments: ["retentionctl", "apple"] + words,
                environment: ["PATH=/usr/bin:/bin", "LANG=C"]
            )
            let sink = try FileDescriptor.create(
                path: world.folder.path(of: "out\(delay)"),
                permissions: 0o600
            )
            child.descriptors = [(sink.number, 1), (sink.number, 2)]
            let number = try child.start()
            _ = try? Readiness.wait(for: [], timeoutMilliseconds: Int32(delay * 10))
            try? Processes.send(.kill, to: number)
            _ = Processes.wait(for: number)
        }
        let statuses = Mutex<[Int32]>([])
        let threads = try (0..<4).map { _ in
            try JoinableThread { () -> Bool in
                for _ in 0..<4 {
                    let run = try? world.run(["url", "get", "--longest-wait", "0"])
                    statuses.withLock { $0.append(run?.status ?? -1) }
                }
                return true
            }
        }
        for thread in threads { #expect(thread.join() == true) }
        let granted = statuses.withLock { $0.filter { $0 == 0 }.count }
        // A killed process may have counted a call that it did not send, and never the other way round. The server may read such
        // a call at any later time. Of the others, exactly those that were granted have called.
        let isOfKilled = world.received.map { Self.tokenHeader(of: $0).contains("KILLED0001") }
        #expect(isOfKilled.count { !$0 } == granted)
        #expect(granted >= 5 && isOfKilled.count <= 10, "\(granted) of \(isOfKilled.count)")
        #expect(statuses.withLock { $0.allSatisfy { $0 == 0 || $0 == 1 } })
        let last = try world.run(["url", "get", "--longest-wait", "0"])
        #expect(last.status == 1 && last.errors.contains("error: app-store-server-api.budget-exhausted: "))
    }

    @Test("are refused with a code when their file is something else")
    func damaged() throws {
        let world = try AppleWorld { _ in .close }
        try world.folder.makeDirectory("state")
        try world.folder.write("my notes", to: "state/rates.json")
        let run = try world.run(["url", "get"])
        #expect(run.status == 65 && run.errors.contains("error: rate-state.damaged: "))
        #expect(try world.folder.read("state/rates.json") == Array("my notes".utf8))
        #expect(world.received.isEmpty)
    }

    @Test("make a command wait and say until when")
    func waiting() throws {
        let count = Mutex(0)
        let world = try AppleWorld { _ in
            let number = count.withLock { value in
                value += 1
                return value
            }
            guard number == 1 else { return AppleWorld.json(#"{"realtimeURL":"https://a"}"#) }
            return .respond(status: 429, headers: ["Retry-After: 2"])
        }
        let run = try world.run(["url", "get"])
        #expect(run.status == 0 && run.output == "https://a\n")
        let told = "Get Realtime URL: Apple's server allows no more calls now; waiting 2 s, until "
        #expect(run.errors.hasPrefix(told), "\(run.errors)")
    }

    /// The header of the token of a request, as text.
    private static func tokenHeader(of request: LoopbackServer.Request) -> String {
        let text = request.headers["authorization"]?.dropFirst("Bearer ".count).prefix { $0 != "." } ?? ""
        return String(decoding: Base64URL.decode(Array(text.utf8).span) ?? [], as: UTF8.self)
    }
}
