import Cryptography
import Support
import System
import Testing

/// Users, groups and directories around the daemon.
extension DaemonTests {
    @Test("creates the directory of its socket, and can have its pid file there")
    func sharedDirectory() throws {
        let pool = try PoolProcess()
        pool.pidPath = pool.folder.path(of: "run/retentiond.pid")
        try pool.configure()
        #expect(try pool.run(["-t"]).status == 0)
        try pool.start()
        #expect(try PidFile.read(path: pool.pidPath)?.processID == pool.processID)
        #expect(try FileStatus(path: pool.folder.path(of: "run")).permissions == 0o750)
    }

    @Test("reports no verdict when --reload cannot read the pid file")
    func cannotAsk() throws {
        let pool = try PoolProcess()
        pool.pidPath = pool.folder.path(of: "data")
        try pool.configure()
        let run = try pool.reload()
        #expect(run.status == 2 && run.errors.contains("no verdict"), "\(run.errors)")
    }

    @Test("names in -t the command that repairs a directory", arguments: Place.all)
    func places(place: Place) throws {
        let pool = try PoolProcess()
        try pool.folder.makeDirectory("run", permissions: 0o750)
        try pool.folder.makeDirectory("state", permissions: 0o750)
        try place.prepare(pool)
        let run = try pool.run(["-t"])
        #expect(run.status == place.status, "\(run.errors)")
        #expect(run.errors.contains(place.text), "\(run.errors)")
        if place.status != 0 || place.text.contains("warning") {
            #expect(run.errors.contains("install -d -o "), "\(run.errors)")
        }
        #expect(run.errors.contains("test is successful") == (place.status == 0))
    }

    /// A directory with a wrong owner or wrong permissions, and what -t says about it.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int32
        let text: String
        let prepare: @Sendable (PoolProcess) throws -> Void

        static let all = [
            Place(testDescription: "directories as they should be", status: 0, text: "successful") { _ in },
            Place(testDescription: "a socket directory that all can enter", status: 0, text: "warning: ") {
                try Directory.setPermissions(path: $0.folder.path(of: "run"), to: 0o755)
            },
            Place(
                testDescription: "a socket that everybody may replace",
                status: 77,
                text: "(socket-directory-open)"
            ) {
                try Directory.setPermissions(path: $0.folder.path(of: "run"), to: 0o777)
            },
            Place(
                testDescription: "a socket directory closed to nginx",
                status: 77,
                text: "(socket-directory-closed)"
            ) {
                try Directory.setPermissions(path: $0.folder.path(of: "run"), to: 0o700)
            },
            Place(
                testDescription: "a state directory of another user",
                status: 77,
                text: "cannot write verdicts"
            ) {
                try Self.close("state", $0)
            },
            Place(testDescription: "a last good generation of another user", status: 77, text: "last good") {
                try $0.folder.makeDirectory("state/last-good")
                try Self.give("state", in: $0)
                try Self.close("state/last-good", $0)
            },
        ]

        /// Keeps the pool from writing there: the pool runs as the user nobody, or the directory is not writable.
        private static func close(_ name: String, _ pool: PoolProcess) throws {
            if Credentials.isPrivileged {
                pool.pidPath = pool.folder.path(of: "run/retentiond.pid")
                try Self.give("run", in: pool)
                try pool.configure(#", "workers": 2, "user": "nobody""#)
            } else {
                try Directory.setPermissions(path: pool.folder.path(of: name), to: 0o500)
            }
        }

        /// Gives a directory to the user nobody when root runs the tests. The directory keeps its group.
        private static func give(_ name: String, in pool: PoolProcess) throws {
            guard Credentials.isPrivileged, let nobody = Accounts.user(named: "nobody") else { return }
            let path = pool.folder.path(of: name)
            try Directory.give(path: path, toUser: nobody.userID, group: FileStatus(path: path).groupID)
        }
    }

    @Test("warns at the start and in -t that it trusts other certificates than Apple's")
    func customAnchors() throws {
        let pool = try PoolProcess()
        try pool.folder.write(try AppleCertificates.rootG3.certificate().pem, to: "root.pem")
        try pool.configure(#", "workers": 1, "anchors": ["\#(pool.folder.path(of: "root.pem"))"]"#)
        #expect(try pool.run(["-t"]).errors.contains("warning: certificates other than Apple's are trusted"))
        try pool.start(waiting: false)
        try pool.wait(for: "message=\"load warning\" code=custom-anchors")
        try pool.wait(for: "message=ready")
    }

    @Test("has a unit that starts also after a bad push, as its own user and without capabilities")
    func unitSettings() throws {
        let unit = String(
            decoding: try SourceFile.read(SourceFile.root + "/examples/retentiond.service"),
            as: UTF8.self
        )
        let lines = Set(unit.split(separator: "\n").map(String.init))
        #expect(!lines.contains { $0.hasPrefix("ExecStartPre=") && $0.contains("retentiond -t") })
        for line in [
            "User=retentiond", "Group=retentiond", "RuntimeDirectoryPreserve=yes", "CapabilityBoundingSet=",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }
}
