internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import Facts
internal import JSON
internal import Rules
internal import System

struct Publish: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract:
            "Checks rules and facts, copies them to hosts, has them loaded, and checks what is served then.",
        discussion: """
            Runs lint and the tests, asks Apple for the states of messages and images (or reads them with --state), compiles the \
            rules so that nothing is served that Apple has not approved, shows how they differ from what each host \
            serves, and what it would do. Without --confirm, or a yes on a terminal, that is all: a dry run.

            In Production, rules that serve a message which is PENDING, REJECTED or not in Apple's list, an image of that \
            kind, or a message without text in a locale of the catalogue are not published. Neither are rules while a \
            default message of the catalogue is not APPROVED. Each reason has its line and what to wait for. With \
            --allow-pending the reasons are warnings, as they always are in Sandbox. Rules with the kill switch on \
            serve nothing, so nothing stops them.

            Hosts are done one after the other: the file is copied with rsync under another name and renamed, the pool \
            loads it, and the host is asked what it serves. The command ends at the first host that fails, unless \
            --keep-going is given; the hosts after it stay as they are. A host that refuses the file goes on with its \
            last good rules, and what was copied to it is taken back. A host that serves the same rules already is left alone. When a host cannot be reached \
            before anything was changed, nothing is changed anywhere, unless --keep-going is given.

            Facts that have less than half the rows of those that a host serves are not published without \
            --allow-fewer-rows: most subscribers would lose their facts. Copying needs rsync 3.2.4 or newer on this \
            machine and on the hosts.

            The user on a host needs the right to write into dataDirectory, to reload the pool and to run \
            "retentiond --served" as the pool's user; examples/retentiond.sudoers gives the last two. With local as the \
            host, the same commands run on this machine.

            Ends with 0 when every host serves the rules, with 2 after a dry run that would change something, and with 1 \
            when something stops the rules or a host does not serve them.

            Example:
              retentionctl publish rules.json --environment Production \\
                --catalogue catalogue.json --host deploy@one.example.com \\
                --host deploy@two.example.com
              retentionctl publish rules.json --environment Sandbox \\
                --state .retention --host local --confirm \\
                --retentiond "retentiond --config retentiond.json" \\
                --reload "retentiond --config retentiond.json --reload"
            """
    )

    @Argument(
        help: "The rules in JSON; - for standard input. Without them, --facts is published alone.",
        completion: .file(extensions: ["json"]))
    var source: String?

    @OptionGroup var hosts: HostOptions
    @OptionGroup var approval: ApprovalOptions
    @OptionGroup var apple: AppleOptions

    @Option(
        help: ArgumentHelp(
            "A finding of lint to leave out: its code, with or without \"lint.\". May be repeated.",
            valueName: "code")
    )
    var ignore: [IgnoredCode] = []

    @Option(
        help: ArgumentHelp(
            "Also decide these requests or decision records with the served and the new rules, as diff does.",
            valueName: "file"),
        completion: .file(extensions: ["ndjson", "jsonl", "log"])
    )
    var sample: String?

    @Option(
        help: ArgumentHelp(
            "A compiled facts file that is published with the rules; also for --sample.", valueName: "file"),
        completion: .file(extensions: ["facts"])
    )
    var facts: String?

    @Flag(help: "Also publish facts that have less than half the rows of those that a host serves.")
    var allowFewerRows = false

    @Option(
        help: ArgumentHelp(
            "The name, without ending, on a host that has no file of this app yet; bundle ID and environment if absent.",
            valueName: "name")
    )
    var name: String?

    @OptionGroup var consent: ConfirmOption

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let name, DataFileName.kind(of: "\(name).rules.json") == nil {
            throw ValidationError(
                "--name must have letters and digits of ASCII, \".\", \"_\" and \"-\", and no dot first."
            )
        }
        guard source != nil || facts != nil else { throw ValidationError("Name rules, or --facts, or both.") }
        guard source != nil || sample == nil else { throw ValidationError("--sample needs rules.") }
        guard [source, approval.catalogue.catalogue].count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Only one of the inputs can be standard input.")
        }
        guard facts != "-", sample != "-" else {
            throw ValidationError("--facts and --sample must be files.")
        }
    }

    func run() throws {
        let programs = try hosts.programs()
        try programs.checkRsync()
        let desk = try PublishDesk(self)
        let obstacles = try desk.obstacles()
        let publisher = Publisher(programs, keepsGoing: hosts.keepGoing, progress: Self.show)
        let states = try states(publisher)
        try desk.withFiles { files, input in
            let publication = try desk.publication(files, input, states, obstacles)
            try finish(publication, publisher)
        }
    }

    /// Asks every host what it serves. A host that does not say it ends the command, unless the user wants to go on.
    private func states(_ publisher: Publisher) throws -> [HostState] {
        let states = publisher.states(of: hosts.hosts)
        Console.endProgress()
        var failures: [Finding] = []
        for state in states {
            guard case .failure(let error) = state.pool else { continue }
            let hint = "nothing was changed on any host"
            failures.append(Finding(code: error.code, "\(state.host): \(error)", hint: hint))
        }
        guard failures.isEmpty || (hosts.keepGoing && failures.count < states.count) else {
            throw ToolError(.unreachable, failures)
        }
        return states
    }

    /// Shows what would be done, and does it when the user agrees.
    private func finish(_ publication: Publication, _ publisher: Publisher) throws {
        for comparison in publication.comparisons {
            Console.report(comparison.decisions?.warnings ?? [], json: false)
        }
        if !output.json { Console.print(lines: publication.lines) }
        let lost = allowFewerRows ? [] : publication.factsWithFewerRows
        guard lost.isEmpty else { throw ToolError(.no, lost) }
        guard !publication.pending.isEmpty, agrees(publication) else {
            if output.json { Console.print(.object(publication.members(nil))) }
            let isDone = publication.pending.isEmpty
            if !output.json {
                let end = isDone ? "Nothing to do." : "Dry run: nothing was changed. --confirm publishes."
                Console.print(lines: ["", end])
            }
            guard !isDone else { return }
            throw ExitCode(ExitStatus.changes.rawValue)
        }
        let reports = publisher.publish(publication.files, to: publication.states)
        Console.endProgress()
        if output.json {
            Console.print(.object(publication.members(reports)))
        } else {
            Console.print(lines: ["", "Hosts now:"] + reports.map { "  \($0.text)" })
            Console.report(reports.compactMap(\.finding), json: false)
        }
        if !reports.allSatisfy(\.outcome.isSuccess) { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func agrees(_ publication: Publication) -> Bool {
        guard !consent.confirm else { return true }
        guard Console.canAsk else { return false }
        if output.json { for line in publication.lines { Console.note(line) } }
        let hosts = publication.pending.map(\.host.description).joined(separator: ", ")
        return Console.asks("Publish to \(hosts)? [y/N] ")
    }

    private static func show(_ host: PublishHost, _ step: Publisher.Step) {
        switch step {
        case .copy: Console.progress("\(host): copying")
        case .reload: Console.progress("\(host): loading")
        case .check: Console.progress("\(host): asking what it serves")
        }
    }
}
