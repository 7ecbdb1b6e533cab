import CertificateAuthority
import Support
import Synchronization
import System
import Testing

@Suite("A proxy that the environment names")
struct ProxyTests {
    /// A web server with TLS for a name that only the proxy knows, and the proxy.
    private final class World {
        let folder: TemporaryDirectory
        let proxy: LoopbackServer
        private let server: TLSServerProcess
        private let seen = Mutex<[LoopbackServer.Request]>.Box()

        /// What the proxy was asked in the clear.
        var asked: [LoopbackServer.Request] { seen.all }

        init(answer: LoopbackServer.Reply? = nil) throws {
            folder = try TemporaryDirectory()
            let now = Clock.wallMilliseconds()
            let identity = try CertificateAuthority.issue(
                TLSServerCertificate.recipe(
                    notBeforeMilliseconds: now - 86_400_000, notAfterMilliseconds: now + 86_400_000,
                    hosts: ["apple.test"], addresses: [])
            )
            try folder.write(identity.pem, to: "server.pem")
            try folder.write(identity.key.pem(), to: "server.key", permissions: 0o600)
            server = try TLSServerProcess(
                openSSLWith: folder.path(of: "server.pem"), key: folder.path(of: "server.key"), in: folder)
            let (port, seen) = (server.port, seen)
            proxy = try LoopbackServer { request in
                seen.add(request)
                return answer ?? .tunnel(to: port)
            }
        }

        /// The port of the server behind the proxy.
        var port: UInt16 { server.port }

        deinit {
            proxy.stop()
        }

        /// Runs `retentionctl apple auth` with the proxy in these variables.
        func auth(_ base: String, _ variables: [String], _ more: [String] = []) throws -> ProgramRun {
            let apple = try AppleWorld { _ in .close }
            let run = try Tool.run(
                ["apple", "auth"] + apple.options
                    + ["--base-url", base, "--cacert", folder.path(of: "server.pem")],
                environment: variables.map { "\($0)=http://user:hunter2@127.0.0.1:\(proxy.port)" } + more
            )
            #expect(!(run.output + run.errors).contains("hunter2"))
            return run
        }
    }

    @Test(
        "opens a tunnel to Apple, and sees the name of the host alone",
        arguments: ["https_proxy", "ALL_PROXY"]
    )
    func tunnel(variable: String) throws {
        let world = try World()
        let run = try world.auth("https://apple.test:\(world.port)", [variable])
        // The server behind the tunnel has no such page: it was reached, and its certificate is that of apple.test.
        #expect(run.status == 69 && !run.errors.contains("error: http."), "\(run.errors)")
        #expect(!world.asked.isEmpty)
        for request in world.asked {
            #expect(request.method == "CONNECT" && request.path == "apple.test:\(world.port)")
            #expect(
                Set(request.headers.keys).isSubset(of: [
                    "host", "user-agent", "proxy-authorization", "proxy-connection",
                ])
            )
        }
    }

    @Test("is not asked for a host of no_proxy, for this machine, or without TLS")
    func none() throws {
        let world = try World()
        let all = ["https_proxy", "http_proxy", "all_proxy"]
        let direct = try world.auth("https://apple.test:\(world.port)", all, ["no_proxy=apple.test"])
        #expect(direct.errors.contains("error: http.unreachable: "), "\(direct.errors)")
        let local = try world.auth("https://localhost:\(world.port)", all)
        #expect(local.errors.contains("error: http.unreachable: "), "\(local.errors)")
        _ = try world.auth("http://127.0.0.1:\(world.port)", all)
        #expect(world.asked.isEmpty)
    }

    @Test("that refuses is named, and the call counts as never made")
    func refused() throws {
        let world = try World(answer: .respond(status: 407))
        let run = try world.auth("https://apple.test:\(world.port)", ["https_proxy"])
        #expect(
            run.errors.contains(
                "error: http.unreachable: no connection to the server: the proxy answered with status 407"
            ),
            "\(run.errors)"
        )
        #expect(run.status == 69 && world.asked.count == 1)
    }

    @Test("passes notifications on to a receiver in the same way")
    func forward() throws {
        let world = try World()
        let store = try StoreWorld()
        let address = try store.filled(.sqlite, count: 1)
        try world.folder.write(
            """
            {"apps": [{"appAppleId": 531412, "bundleId": "com.example.app", "environments": ["Sandbox"]}],
             "notifications": {"store": "\(address)", "forward": [{"url": "https://apple.test:\(world.port)/in?key=secret"}]}}
            """,
            to: "retentiond.json"
        )
        let run = try Tool.run(
            [
                "notifications", "forward", "--config", world.folder.path(of: "retentiond.json"),
                "--cacert", world.folder.path(of: "server.pem"),
            ],
            environment: ["https_proxy=http://127.0.0.1:\(world.proxy.port)"]
        )
        #expect(world.asked.map(\.method) == ["CONNECT"], "\(run.errors)")
        #expect(world.asked.allSatisfy { !"\($0)".contains("secret") })
    }
}
