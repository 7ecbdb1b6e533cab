import Cryptography
import Support
import System
import Testing

/// The daemon with the identity of the shipped unit: its own user and group, and nginx's group only for the socket.
extension DaemonTests {
    @Test(
        "runs as the user and the groups of its unit, and root may reload it and ask what it serves",
        .enabled(if: PoolProcess.canBecomeOthers)
    )
    func unitIdentity() throws {
        let pool = try PoolProcess.ofUnit()
        let check = try pool.run(["-t"])
        #expect(check.status == 0 && !check.errors.contains("warning"), "\(check.errors)")
        #expect(check.errors.contains("the check runs as user nobody, group nogroup, also in www-data"))
        try pool.start()
        #expect(try FileStatus(path: pool.socketPath).groupID == Accounts.groupID(named: "www-data"))
        #expect(try pool.ping() == "pong")
        let reload = try pool.reload()
        #expect(reload.status == 0, "\(reload.errors)")
        pool.launcher = ["/usr/bin/env"]
        for command in ["--reload", "--served", "-V"] {
            let run = try pool.run([command])
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
        // Root in a container can list the pool's open descriptors but cannot see what they refer to.
        pool.launcher = [PoolProcess.setpriv, "--bounding-set", "-sys_ptrace"]
        let contained = try pool.reload()
        #expect(contained.status == 0, "\(contained.errors)")
        // Another user may not request a reload. Then there is no verdict, because nothing was refused.
        pool.launcher = [PoolProcess.setpriv, "--reuid", "12345", "--regid", "12345", "--clear-groups"]
        let stranger = try pool.reload()
        #expect(stranger.status == 2 && stranger.errors.contains("no verdict"), "\(stranger.errors)")
        try Directory.setPermissions(path: pool.configurationPath, to: 0o600)
        let blind = try pool.reload()
        #expect(blind.status == 2 && blind.errors.contains("configuration-unreadable"), "\(blind.errors)")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
    }

    @Test("does not run as root unless --allow-root allows that", .enabled(if: Credentials.isPrivileged))
    func root() throws {
        let pool = try PoolProcess()
        pool.allowsRoot = false
        let check = try Self.expectRefusal(of: pool, "runs-as-root")
        #expect(check.status == 78 && check.errors.contains("type: runuser -u retentiond -- retentiond -t "))
        // The refused start has created nothing.
        #expect((try? FileStatus(path: pool.folder.path(of: "run"))) == nil)
        let cgi = try pool.run(["--cgi"])
        #expect(cgi.output.hasPrefix("Status: 500 ") && cgi.errors.contains("code=runs-as-root"), "\(cgi)")
        let socket = try ListeningSocket(
            unixPath: pool.folder.path(of: "alone"), access: .init(mode: 0o600), backlog: 1)
        pool.handed = [(socket.descriptor.number, 0)]
        try pool.start(waiting: false)
        try pool.wait(for: "code=runs-as-root", "worker")
        #expect(pool.waitForEnd() == .exited(78))
        pool.allowsRoot = true
        pool.handed = []
        #expect(try pool.run(["-t"]).status == 0)
    }

    @Test(
        "does not start when its user is not in the group of the socket, and names the group",
        .enabled(if: PoolProcess.canBecomeOthers)
    )
    func notInSocketGroup() throws {
        let pool = try PoolProcess.ofUnit()
        pool.launcher = [PoolProcess.setpriv, "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        try pool.start(waiting: false)
        let line = try pool.wait(for: "code=supervisor.unavailable")
        #expect(line.contains("for listenGroup www-data: chown: "), "\(line)")
        #expect(pool.waitForEnd() == .exited(74))
    }

    @Test("lets nginx's user connect, but not read keys or data", .enabled(if: PoolProcess.canBecomeOthers))
    func nginxUser() throws {
        let pool = try PoolProcess.ofUnit()
        try pool.start()
        let key = try pool.makeKey(group: "nogroup", permissions: 0o640)
        func canNginx(_ test: String, _ path: String) throws -> Bool {
            let words = ["--reuid", "www-data", "--regid", "www-data", "--init-groups", "test", test, path]
            return try ProgramRun.run(PoolProcess.setpriv, words).status == 0
        }
        #expect(try canNginx("-w", pool.socketPath))
        for path in [
            key, pool.folder.path(of: "data/one.rules.json"), pool.folder.path(of: "log/decisions.ndjson"),
            pool.folder.path(of: "state/identifier.key"), pool.folder.path(of: "state/generations"),
        ] {
            // A thread of a worker makes the log, a moment after the start.
            #expect(Patience.wait(seconds: 60) { (try? FileStatus(path: path)) != nil }, "\(path)")
            #expect(try !canNginx("-r", path), "\(path)")
        }
    }

    /// The group and the permissions of a signing key, and the code with which the daemon refuses the key.
    static let keys: [(group: String, permissions: UInt32, code: String?)] = [
        ("nogroup", 0o640, nil), ("www-data", 0o640, "signing-key-socket-group"),
        ("root", 0o600, "signing-key-unreadable"), ("root", 0o640, "signing-key-unreadable"),
        ("root", 0o644, "signing-key-exposed"),
    ]

    @Test("refuses a reload after which nginx could read a key", .enabled(if: PoolProcess.canBecomeOthers))
    func keyAtReload() throws {
        let pool = try PoolProcess.ofUnit()
        try pool.addKey(pool.makeKey(group: "nogroup", permissions: 0o640))
        try pool.start()
        _ = try pool.makeKey(group: "www-data", permissions: 0o640)
        let reload = try pool.reload()
        #expect(reload.status == 1 && reload.errors.contains("signing-key-socket-group"), "\(reload.errors)")
        #expect(try pool.ping() == "pong")
    }
}

extension PoolProcess {
    static let setpriv = "/usr/bin/setpriv"

    /// True when the tests run as root, so that they can start a pool as another user.
    static var canBecomeOthers: Bool { Credentials.isPrivileged && (try? FileStatus(path: setpriv)) != nil }

    /// A pool that runs as under the unit, with the user nobody in the place of retentiond. It owns RuntimeDirectory=,
    /// StateDirectory= and LogsDirectory=.
    static func ofUnit() throws -> PoolProcess {
        let pool = try PoolProcess()
        pool.allowsRoot = false
        pool.launcher = [
            setpriv, "--reuid=nobody", "--regid=nogroup", "--groups=www-data", "--bounding-set=-all",
            "--no-new-privs",
        ]
        for (name, owner, permissions) in [
            ("run", "nobody:www-data", UInt32(0o750)), ("state", "nobody:nogroup", 0o711),
            ("log", "nobody:nogroup", 0o750),
        ] {
            try pool.folder.makeDirectory(name, permissions: permissions)
            try pool.give(name, to: owner)
        }
        // The README gives the data directory this owner and these permissions.
        try pool.give("data", to: "root:nogroup")
        try Directory.setPermissions(path: pool.folder.path(of: "data"), to: 0o2750)
        pool.pidPath = pool.folder.path(of: "run/retentiond.pid")
        try pool.copyProgram()
        pool.group = "www-data"
        let log = #""log": {"decisions": "\#(pool.folder.path)/log/decisions.ndjson"}"#
        try pool.configure(#", "workers": 2, \#(log)"#)
        return pool
    }

    /// Gives a file or directory of the pool's folder to `owner`, a user and a group as chown(1) takes them.
    func give(_ name: String, to owner: String) throws {
        let run = try ProgramRun.run("chown", [owner, folder.path(of: name)])
        try #require(run.status == 0, "\(run.errors)")
    }

    /// Writes a signing key of root and a group, and returns its path.
    fileprivate func makeKey(group: String, permissions: UInt32) throws -> String {
        try folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: permissions)
        try give("key.p8", to: "root:\(group)")
        return folder.path(of: "key.p8")
    }

    fileprivate func addKey(_ file: String) throws {
        let text = String(decoding: try folder.read("retentiond.json"), as: UTF8.self)
        let key = #"{"keyId": "KEY", "issuerId": "i-1", "file": "\#(file)"}"#
        let changed = text.replacing(
            #""bundleId": "com.example","#,
            with: #""bundleId": "com.example", "signingKeys": [\#(key)],"#
        )
        try folder.write(changed, to: "retentiond.json")
    }
}
