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
            decoding: try SourceFile.read(SourceFile.root + "/examples/retentiond.service"), as: UTF8.self)
        let lines = Set(unit.split(separator: "\n").map(String.init))
        #expect(!lines.contains { $0.hasPrefix("ExecStartPre=") && $0.contains("retentiond -t") })
        for line in [
            "User=retentiond", "Group=retentiond", "RuntimeDirectoryPreserve=yes", "CapabilityBoundingSet=",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }
}
