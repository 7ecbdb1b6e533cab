import Cryptography
import Support
import System
import Testing

/// The daemon with the identity of the shipped unit: its own user and group, and nginx's group only for the socket.
extension DaemonTests {
    static let setpriv = "/usr/bin/setpriv"

    private static var canBecomeOthers: Bool {
        Credentials.isPrivileged && (try? FileStatus(path: setpriv)) != nil
    }

    /// The command that starts a program as systemd starts the unit's program, with the user nobody in the place of
    /// retentiond.
    private static func unitLauncher() throws -> [String] {
        let nobody = try #require(Accounts.user(named: "nobody"))
        let nginx = try #require(Accounts.groupID(named: "www-data"))
        return [
            setpriv, "--reuid", "\(nobody.userID)", "--regid", "\(nobody.groupID)", "--groups", "\(nginx)",
            "--bounding-set=-all", "--no-new-privs",
        ]
    }

    /// A pool as under the unit, which owns its directories, but with a socket that it makes itself in a directory of nginx's group.
    private static func unitPool(_ extra: String = "") throws -> PoolProcess {
        let nobody = try #require(Accounts.user(named: "nobody"))
        let pool = try PoolProcess()
        pool.allowsRoot = false
        for (name, permissions) in [("run", UInt32(0o750)), ("state", 0o711), ("log", 0o750)] {
            try pool.folder.makeDirectory(name, permissions: permissions)
            let path = pool.folder.path(of: name)
            let group = try name == "run" ? #require(Accounts.groupID(named: "www-data")) : nobody.groupID
            try Directory.give(path: path, toUser: nobody.userID, group: group)
        }
        // The README gives the data directory this owner and these permissions.
        let data = pool.folder.path(of: "data")
        try Directory.give(path: data, toUser: 0, group: nobody.groupID)
        try Directory.setPermissions(path: data, to: 0o2750)
        pool.pidPath = pool.folder.path(of: "run/retentiond.pid")
        try pool.copyProgram()
        pool.group = "www-data"
        let log = #""log": {"decisions": "\#(pool.folder.path)/log/decisions.ndjson"}"#
        try pool.configure(#", "workers": 2, "user": "nobody", "group": "nogroup", \#(log)\#(extra)"#)
        return pool
    }

    @Test(
        "runs and reloads as the user and the groups of its unit, without any privilege",
        .enabled(if: canBecomeOthers)
    )
    func unitIdentity() throws {
        let pool = try Self.unitPool()
        // Root runs -t, then the pool's user does.
        var check = try pool.run(["-t"])
        #expect(check.status == 0 && !check.errors.contains("warning"), "\(check.errors)")
        #expect(check.errors.contains("the check runs as user nobody, group nogroup, also in www-data"))
        pool.launcher = try Self.unitLauncher()
        check = try pool.run(["-t"])
        #expect(check.status == 0 && !check.errors.contains("warning"), "\(check.errors)")
        #expect(check.errors.contains("the check runs as user nobody, group nogroup, also in www-data"))
        try pool.start()
        #expect(try FileStatus(path: pool.socketPath).groupID == Accounts.groupID(named: "www-data"))
        #expect(try pool.ping() == "pong")
        let reload = try pool.reload()
        #expect(reload.status == 0, "\(reload.errors)")
        // Root in a container can list the pool's open descriptors but cannot see what they refer to.
        pool.launcher = [Self.setpriv, "--bounding-set", "-sys_ptrace"]
        let contained = try pool.reload()
        #expect(contained.status == 0, "\(contained.errors)")
        // Another user may not request a reload. Then there is no verdict, because nothing was refused.
        pool.launcher = [Self.setpriv, "--reuid", "12345", "--regid", "12345", "--clear-groups"]
        let stranger = try pool.reload()
        #expect(stranger.status == 2 && stranger.errors.contains("no verdict"), "\(stranger.errors)")
        try Directory.setPermissions(path: pool.configurationPath, to: 0o600)
        let blind = try pool.reload()
        #expect(blind.status == 2 && blind.errors.contains("configuration-unreadable"), "\(blind.errors)")
        try pool.send(.quit)
        #expect(pool.waitForEnd() == .exited(0))
    }

    @Test(
        "refuses in -t and at its start a user who is not in the group of the socket",
        .enabled(if: canBecomeOthers)
    )
    func notInSocketGroup() throws {
        let pool = try Self.unitPool()
        let nobody = try #require(Accounts.user(named: "nobody"))
        pool.launcher = [
            Self.setpriv, "--reuid", "\(nobody.userID)", "--regid", "\(nobody.groupID)", "--clear-groups",
        ]
        let sentences = """
            the socket cannot be given to group www-data, which nobody is not in: only a member of the group may give a \
            file to it: usermod -a -G www-data nobody, or SupplementaryGroups=www-data (supervisor.unavailable)
            """
        let check = try pool.run(["-t"])
        #expect(check.status == 74 && check.errors.contains(sentences), "\(check.errors)")
        try pool.start(waiting: false)
        try pool.wait(for: "code=supervisor.unavailable")
        #expect(pool.waitForEnd() == .exited(74))
    }

    @Test("refuses to run when it could become root again", .enabled(if: canBecomeOthers))
    func retainedPrivileges() throws {
        let pool = try Self.unitPool()
        pool.launcher = [Self.setpriv, "--securebits", "+no_setuid_fixup"]
        let check = try pool.run(["-t"])
        let sentence = "giving up privileges: the process could become root again (supervisor.privileges)"
        #expect(check.status == 77 && check.errors.contains(sentence), "\(check.errors)")
        try pool.start(waiting: false)
        try pool.wait(for: "code=supervisor.privileges")
        #expect(pool.waitForEnd() == .exited(77))
    }

    @Test("lets nginx's user connect, but not read keys or data", .enabled(if: canBecomeOthers))
    func nginxUser() throws {
        let pool = try Self.unitPool()
        pool.launcher = try Self.unitLauncher()
        try pool.start()
        let nobody = try #require(Accounts.user(named: "nobody"))
        let key = pool.folder.path(of: "key.p8")
        try AtomicFile.write(Array(SigningKey.generate().pem().utf8).span, to: key, permissions: 0o640)
        try Directory.give(path: key, toUser: 0, group: nobody.groupID)
        func canNginx(_ test: String, _ path: String) throws -> Bool {
            let words = ["--reuid", "www-data", "--regid", "www-data", "--init-groups", "test", test, path]
            return try ProgramRun.run(Self.setpriv, words).status == 0
        }
        #expect(try canNginx("-w", pool.socketPath))
        for path in [
            key, pool.folder.path(of: "data/one.rules"), pool.folder.path(of: "log/decisions.ndjson"),
            pool.folder.path(of: "state/identifier.key"), pool.folder.path(of: "state/last-good"),
        ] {
            #expect(try !canNginx("-r", path), "\(path)")
            #expect((try? FileStatus(path: path)) != nil || path.hasSuffix("last-good"), "\(path)")
        }
    }

    /// The group and the permissions of a signing key, and the code with which the daemon refuses the key.
    static let keys: [(group: String, permissions: UInt32, code: String?)] = [
        ("nogroup", 0o640, nil), ("www-data", 0o640, "signing-key-socket-group"),
        ("root", 0o600, "signing-key-unreadable"), ("root", 0o640, "signing-key-unreadable"),
        ("root", 0o644, "signing-key-exposed"),
    ]

    @Test(
        "gives the same verdict on a signing key in -t and at its start, by root and by the unit's user",
        .enabled(if: canBecomeOthers),
        arguments: keys
    )
    func keys(key: (group: String, permissions: UInt32, code: String?)) throws {
        let path = "/key.p8"
        for launcher in [[], try Self.unitLauncher()] {
            let pool = try Self.unitPool()
            let file = pool.folder.path + path
            try AtomicFile.write(
                Array(SigningKey.generate().pem().utf8).span,
                to: file,
                permissions: key.permissions
            )
            let group = try #require(Accounts.groupID(named: key.group))
            try Directory.give(path: file, toUser: 0, group: group)
            try Self.addKey(file, to: pool)
            pool.launcher = launcher
            let check = try pool.run(["-t"])
            #expect((check.status == 0) == (key.code == nil), "\(check.errors)")
            try pool.start(waiting: key.code == nil)
            guard let code = key.code else { continue }
            #expect(check.errors.contains("(\(code))"), "\(check.errors)")
            try pool.wait(for: "code=\(code)")
            #expect(pool.waitForEnd() == .exited(78))
        }
    }

    @Test("refuses a reload after which nginx could read a key", .enabled(if: canBecomeOthers))
    func keyAtReload() throws {
        let pool = try Self.unitPool()
        let file = pool.folder.path(of: "key.p8")
        try AtomicFile.write(Array(SigningKey.generate().pem().utf8).span, to: file, permissions: 0o640)
        let nobody = try #require(Accounts.user(named: "nobody"))
        try Directory.give(path: file, toUser: 0, group: nobody.groupID)
        try Self.addKey(file, to: pool)
        try pool.start()
        let group = try #require(Accounts.groupID(named: "www-data"))
        try Directory.give(path: file, toUser: 0, group: group)
        let reload = try pool.reload()
        #expect(reload.status == 1 && reload.errors.contains("signing-key-socket-group"), "\(reload.errors)")
        #expect(try pool.ping() == "pong")
    }

    private static func addKey(_ file: String, to pool: PoolProcess) throws {
        let text = String(decoding: try pool.folder.read("retentiond.json"), as: UTF8.self)
        let key = #"{"keyId": "KEY", "issuerId": "i-1", "file": "\#(file)"}"#
        let changed = text.replacing(
            #""bundleId": "com.example","#,
            with: #""bundleId": "com.example", "signingKeys": [\#(key)],"#
        )
        try pool.folder.write(changed, to: "retentiond.json")
    }
}
