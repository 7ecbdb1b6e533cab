import Publishing
import Testing

@Suite("The command lines of publishing")
struct HostCommandsTests {
    private static func commands(shell: String = "ssh -p 2222") throws -> HostCommands {
        HostCommands(
            remoteShell: try CommandWords(shell),
            rsync: "/opt/rsync",
            retentiond: try CommandWords("retentiond --config '/srv/a b.json'"),
            reload: try CommandWords(HostCommands.usualReload)
        )
    }

    private static let flags = [
        "/opt/rsync", "--times", "--checksum", "--fsync", "--perms", "--chmod=F640", "--protect-args",
    ]

    @Test("give a remote host one text that its shell takes apart, and this machine the words")
    func questions() throws {
        let commands = try Self.commands()
        let host = try PublishHost("deploy@one")
        #expect(
            commands.served(host, withRules: true) == [
                "ssh", "-p", "2222", "-l", "deploy", "one",
                "'retentiond' '--config' '/srv/a b.json' '--served-rules'",
            ]
        )
        #expect(
            commands.served(.local, withRules: false) == [
                "retentiond", "--config", "/srv/a b.json", "--served",
            ]
        )
        #expect(
            commands.reload(try PublishHost("::1")) == [
                "ssh", "-p", "2222", "::1", "'sudo' '-n' 'systemctl' 'reload' 'retentiond'",
            ]
        )
        #expect(commands.reload(.local) == ["sudo", "-n", "systemctl", "reload", "retentiond"])
    }

    @Test(
        "copy without a shell for the path, and never take a file for an option or another host",
        arguments: [
            ("one", "/tmp/new.rules", "/tmp/new.rules", "one:/srv/a b/app.rules"),
            ("deploy@one", "a:b.facts", "./a:b.facts", "deploy@one:/srv/a b/app.rules"),
            ("deploy@2001:db8::7", "-x", "./-x", "deploy@[2001:db8::7]:/srv/a b/app.rules"),
        ]
    )
    func copies(host: String, file: String, source: String, destination: String) throws {
        let line = try Self.commands(shell: "ssh -i 'my key' \"it's\"").copy(
            file,
            to: "/srv/a b/app.rules",
            on: try PublishHost(host)
        )
        #expect(line == Self.flags + ["-e", "'ssh' '-i' 'my key' 'it''s'", "--", source, destination])
    }

    @Test("copy on this machine without a remote shell")
    func localCopy() throws {
        let line = try Self.commands().copy("/tmp/new.rules", to: "/srv/data/app.rules", on: .local)
        #expect(line == Self.flags + ["--", "/tmp/new.rules", "/srv/data/app.rules"])
    }
}
