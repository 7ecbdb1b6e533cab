internal import AppStoreServerAPI
internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import FoundationEssentials
internal import JSON
internal import Rules
internal import System

struct Publish: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Checks rules and facts, copies them to hosts, has them loaded, and checks what is served then.",
        discussion: """
            Runs lint and the tests: a warning or a test that fails stops the rules. Asks Apple for the states of messages and \
            images (or reads them with --state), compiles the rules so that nothing is served that Apple has not approved, shows \
            how they differ from what each host serves, and what it would do. Without --confirm, or a yes on a terminal, that is \
            all: a dry run. For rules of LocalTesting nothing is asked of Apple.

            In Production, rules that serve a message which is PENDING, REJECTED or not in Apple's list, such an image, or \
            a message without text in a locale of the catalogue are not published, nor are rules while a default message of \
            the catalogue is not APPROVED. With --allow-pending, as always in Sandbox, the reasons are warnings. Nothing \
            stops rules with the kill switch on.

            Hosts are done one after the other: the file is copied with rsync (3.2.4 or newer, here and there) and renamed, \
            the pool loads it, and the host is asked what it serves. The command ends at the first host that fails. A host \
            that refuses the file goes on with its last good rules, and what was copied is taken back. When a host cannot \
            be reached before anything was changed, nothing is changed anywhere.

            The user on a host needs the right to write into dataDirectory, to reload the pool and to run \
            "retentiond --served" as the pool's user; examples/retentiond.sudoers gives the last two.

            Ends with 0 when every host serves the files, with 2 after a dry run that would change something, and with 1 \
            when something stops the rules or a host does not serve them.

            Examples:
              retentionctl publish rules.json --catalogue catalogue.json \\
                --host deploy@one.example.com --host deploy@two.example.com
              retentionctl publish --facts com.example.app.facts \\
                --host deploy@one.example.com --confirm
              retentionctl publish rules.json --state .retention --host local --confirm \\
                --retentiond "retentiond --config retentiond.json" \\
                --reload "retentiond --config retentiond.json --reload"
            """
    )

    @Argument(help: "The rules in JSON; - for standard input; none with --facts alone.", completion: .json)
    var source: String?

    @OptionGroup var hosts: HostOptions

    @Option(help: "A facts file to publish with the rules, or alone.", completion: .facts)
    var facts: String?

    @OptionGroup var catalogue: CatalogueOption
    @OptionGroup var environment: RulesEnvironmentOption

    @Option(
        help: "Take Apple's states from this directory of the catalogue's commands.", completion: .directory)
    var state: String?

    @OptionGroup var apple: AppleAccessOptions

    @Option(help: "A finding of lint to leave out: its code, with or without \"lint.\". May be repeated.")
    var ignore: [IgnoredCode] = []

    @Flag(
        help: """
            In Production too, publish rules that serve messages which are not APPROVED. These are not served; the \
            reasons become warnings.
            """)
    var allowPending = false

    @Flag(help: "Also publish facts that have less than half the rows of those that a host serves.")
    var allowFewerRows = false

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard source != nil || facts != nil else { throw ValidationError("Name rules, or --facts, or both.") }
        guard [source, catalogue.catalogue].count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Only one of the inputs can be standard input.")
        }
        guard facts != "-" else { throw ValidationError("--facts must be a file.") }
    }

    func run() throws {
        try hosts.checkRsync()
        let rules = try source.map { try CheckedRules($0, self) }
        var files = try facts.map { [try factsFile($0, rules?.input)] } ?? []
        let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        let path = "\(folder)/retentionctl-\(Processes.current)-\(UInt64.random(in: 0...UInt64.max))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        if let input = rules?.input {
            try ToolError.about(path) {
                try AtomicFile.write(input.resolved.text.span, to: path, permissions: 0o600)
            }
            files.append(
                PublishedFile(
                    path: path, kind: .rules, appAppleId: input.rules.appAppleId,
                    environment: input.rules.environment, digest: input.rules.digest, rowCount: nil,
                    usualName: "\(input.usualName).rules.json"))
        }
        try finish(Publication(rules: rules, files: files, states: try states(files)))
    }

    /// Apple's states, from Apple or from what the catalogue's commands keep.
    func states(bundleId: String, _ environment: Environment) throws -> AppleState {
        if let state {
            let server = try AppStoreServer(
                environment: environment, baseURL: try AppleSettings(apple).baseURL)
            return try AppleState.kept(
                in: state, bundleId: bundleId, environment, server: server.otherThanApple)
        }
        let client = try apple.session(in: environment, bundleId: bundleId).client
        var states = AppleState()
        states.list(try client.listImages(), try client.listMessages(), at: Clock.wallMilliseconds())
        return states
    }

    private func factsFile(_ path: String, _ rules: RulesInput?) throws -> PublishedFile {
        let facts = try CompiledFacts.checked(path)
        if let rules { _ = try FactsSource(facts, path, for: rules.rules) }
        let name = rules.map { "\($0.usualName).facts" } ?? AtomicFile.split(path).name
        guard DataFileName.kind(of: name) == .facts else {
            throw ToolError(
                .usage, code: "publish.bad-argument", "\"\(name)\" cannot be the name of a file on a host",
                hint: "NAME.facts, of letters and digits, \".\", \"_\" and \"-\"", file: path)
        }
        return PublishedFile(
            path: path, kind: .facts, appAppleId: facts.header.appAppleId,
            environment: facts.header.environment, digest: facts.header.digest, rowCount: facts.rowCount,
            usualName: name)
    }

    private func states(_ files: [PublishedFile]) throws -> [HostState] {
        var states: [HostState] = []
        var failures: [Finding] = []
        for host in hosts.host {
            Console.progress("\(host): asking what it serves")
            do {
                let pool = try hosts.served(host, withRules: true)
                states.append(HostState(host: host, pool: pool, files: files))
            } catch {
                let error = ToolError(error)
                let hint = "nothing was changed on any host"
                failures.append(Finding(code: error.code, "\(host): \(error)", hint: hint))
            }
        }
        Console.endProgress()
        guard failures.isEmpty else { throw ToolError(.unreachable, failures) }
        return states
    }

    private func finish(_ publication: Publication) throws {
        Console.report(publication.warnings, json: false)
        if !output.json { Console.print(lines: publication.lines) }
        let lost = allowFewerRows ? [] : publication.factsWithFewerRows
        guard lost.isEmpty else { throw ToolError(.no, lost) }
        guard !publication.pending.isEmpty, agrees(publication) else {
            let isDone = publication.pending.isEmpty
            let end = isDone ? "Nothing to do." : "Dry run: nothing was changed. --confirm publishes."
            output.print(json: .object(publication.members(nil)), lines: ["", end])
            guard !isDone else { return }
            throw ExitCode(ExitStatus.changes.rawValue)
        }
        let reports = hosts.publish(to: publication.states)
        output.print(
            json: .object(publication.members(reports)),
            lines: ["", "Hosts now:"] + reports.map { "  \($0.text)" })
        if !output.json { Console.report(reports.compactMap(\.finding), json: false) }
        if !reports.allSatisfy(\.isSuccess) { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func agrees(_ publication: Publication) -> Bool {
        guard !consent.confirm else { return true }
        guard Console.canAsk else { return false }
        if output.json { for line in publication.lines { Console.log(line) } }
        let hosts = publication.pending.map(\.host.description).joined(separator: ", ")
        return Console.asks("Publish to \(hosts)? [y/N] ")
    }
}

extension RulesInput {
    /// The name, without ending, of the files of an app on a host that has none yet.
    fileprivate var usualName: String { "\(rules.bundleId).\(rules.environment.rawValue)" }
}
