internal import ArgumentParser
internal import Authoring
internal import System

/// The options about the hosts, and about how they are reached.
struct HostOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A host that runs the pool, as ssh knows it; local is this machine. May be repeated: hosts are done in this \
            order, so the first one is the canary.
            """,
            valueName: "host"
        )
    )
    var host: [HostArgument]

    @Option(
        help: ArgumentHelp(
            "The program that runs a command on a host, with its options; called as ssh is: [-l user] host command.",
            valueName: "command")
    )
    var remoteShell = CommandArgument(HostCommands.usualRemoteShell)

    @Option(help: ArgumentHelp("The rsync of this machine.", valueName: "program"))
    var rsync = HostCommands.usualRsync

    @Option(
        help: ArgumentHelp(
            "How retentiond is run on a host, with the options that it needs there, such as --config.",
            valueName: "command")
    )
    var retentiond = CommandArgument(HostCommands.usualRetentiond)

    @Option(
        help: ArgumentHelp(
            "The command on a host that has the pool load its files, and ends with 0 when it has.",
            valueName: "command")
    )
    var reload = CommandArgument(HostCommands.usualReload)

    @Option(
        help: ArgumentHelp("How long each command on a host may take, 1 to 86400.", valueName: "seconds")
    )
    var timeout: Int64 = 120

    @Flag(help: "Go on with the next host after one that failed or cannot be reached.")
    var keepGoing = false

    func validate() throws {
        guard Set(host.map(\.host)).count == host.count else {
            throw ValidationError("A --host is given twice.")
        }
        guard !rsync.isEmpty, !rsync.hasPrefix("-") else {
            throw ValidationError("--rsync must be a program.")
        }
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout must be 1 to 86400.") }
    }

    var hosts: [PublishHost] { host.map(\.host) }

    func programs() throws -> HostPrograms {
        let commands = HostCommands(
            remoteShell: try CommandWords(remoteShell.text), rsync: rsync,
            retentiond: try CommandWords(retentiond.text), reload: try CommandWords(reload.text))
        return HostPrograms(commands: commands, timeoutSeconds: timeout)
    }
}

struct HostArgument: ExpressibleByArgument {
    let host: PublishHost

    init?(argument: String) {
        guard let host = try? PublishHost(argument) else { return nil }
        self.host = host
    }
}

struct CommandArgument: ExpressibleByArgument {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init?(argument: String) {
        text = argument
    }

    var defaultValueDescription: String { text }
}
