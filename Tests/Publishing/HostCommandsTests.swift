import Authoring
import Support
import Testing

@Suite("The command lines of publishing")
struct HostCommandsTests {
    private static func commands(shell: String = "ssh -p 2222") throws -> HostCommands {
        HostCommands(
            remoteShell: try CommandWords(shell), rsync: "/opt/rsync",
            retentiond: try CommandWords("retentiond --config '/srv/a b.json'"),
            reload: try CommandWords(HostCommands.usualReload))
    }

    private static let flags = [
        "/opt/rsync", "--copy-links", "--times", "--checksum", "--fsync", "--perms", "--chmod=F640",
        "--protect-args",
    ]

    @Test(
        "copy without a shell for the path, and never take a file for an option or another host",
        arguments: [
            ("one", "/tmp/new.rules.json", "/tmp/new.rules.json", "one:/srv/a b/app.rules.json"),
            ("deploy@one", "a:b.facts", "./a:b.facts", "deploy@one:/srv/a b/app.rules.json"),
            ("deploy@2001:db8::7", "-x", "./-x", "deploy@[2001:db8::7]:/srv/a b/app.rules.json"),
        ]
    )
    func copies(host: String, file: String, source: String, destination: String) throws {
        let line = try Self.commands(shell: "ssh -i 'my key' \"it's\"").copy(
            file, to: "/srv/a b/app.rules.json", on: try PublishHost(host))
        #expect(line == Self.flags + ["-e", "'ssh' '-i' 'my key' 'it''s'", "--", source, destination])
    }

    @Test(
        "want an rsync that has all flags",
        arguments: [
            ("rsync  version 3.2.4  protocol version 31\nCopyright", true),
            ("rsync  version v3.4.1dev  protocol", true),
            ("rsync  version 3.1.3  protocol version 31", false),
            ("openrsync: protocol version 29\nrsync version 3.2.9 compatible", false), ("", false),
        ]
    )
    func rsyncVersion(output: String, isFit: Bool) {
        let reason = HostCommands.unfitRsync(output)
        #expect((reason == nil) == isFit)
        #expect(reason?.contains("needs rsync 3.2.4 or newer") != false)
    }

    @Test("are by default those that the shipped sudoers lines allow")
    func sudoers() throws {
        let text = String(
            decoding: try SourceFile.read(SourceFile.root + "/examples/retentiond.sudoers"), as: UTF8.self)
        let commands = HostCommands(
            remoteShell: try CommandWords(HostCommands.usualRemoteShell), rsync: HostCommands.usualRsync,
            retentiond: try CommandWords(HostCommands.usualRetentiond),
            reload: try CommandWords(HostCommands.usualReload))
        let lines = [true, false].map { commands.served(.local, withRules: $0) } + [commands.reload(.local)]
        for line in lines {
            #expect(Array(line.prefix(2)) == ["sudo", "-n"])
            let user = line[2] == "-u" ? line[3] : "root"
            let words = line.dropFirst(line[2] == "-u" ? 4 : 2).joined(separator: " ")
            let allowed = text.split(separator: "\n").first {
                $0.hasPrefix("deploy ALL=(\(user)) NOPASSWD: ")
            }
            let rights = try #require(allowed).split(separator: ": ")[1].split(separator: ", ")
            #expect(rights.contains("/usr/bin/\(words)"), "\(words)")
        }
    }
}
