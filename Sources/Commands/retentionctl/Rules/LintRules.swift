internal import ArgumentParser
internal import JSON
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// Finds rules that compile but are probably mistakes.
struct LintRules: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds rules that compile but are probably mistakes.",
        discussion: """
            Finds rules that are never reached, windows that overlap, salts that are repeated, products without a \
            message in some locale, declarations that nothing uses, offers without caps, switches that may leave the \
            subscription group, paidPeriods compared for several products, windows and holdouts that are over, and rules without a test. Ends with 0 if there are \
            no findings or only notes, with 1 if there are warnings, and with 65 if the rules do not compile.

            Overlapping windows are found if both rules name a product, or if one rule is for all subscribers of the \
            other. The search for rules that are never reached has a limit: search-ended names the rule from which on \
            there were too many conditions to compare. --ignore leaves findings out before they are counted.

            With --facts or --store, lint also compares the rules with what is known of your subscribers: a unit of a \
            rollout or of arms of which more than 1 percent of the subscribers have the same value, texts, products and \
            offers that no subscriber has (such as the storefront JP, which is JPN), and numbers beyond those of all \
            subscribers. Such a number is a note, because a count grows and a price changes; it is a warning if the \
            fact can never have it. --store builds the facts of the rules for the present, as `facts build` does.

            Example:
              retentionctl lint rules.json --ignore untested-rule
              retentionctl lint rules.json --facts com.example.app.facts
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.", completion: .file(extensions: ["json"]))
    var source: String

    @OptionGroup var inventory: InventoryOptions

    @Option(
        help: ArgumentHelp(
            "Windows that have ended at this time are over: RFC 3339 or milliseconds since 1970; now if absent.",
            valueName: "time")
    )
    var at: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "A finding to leave out: its code, with or without \"lint.\". May be repeated.", valueName: "code"
        )
    )
    var ignore: [LintCheckName] = []

    @Option(
        help: ArgumentHelp("A facts file, with which to compare the rules.", valueName: "file"),
        completion: .file(extensions: ["facts"])
    )
    var facts: String?

    @Option(
        help: ArgumentHelp(
            "A store, with whose facts to compare the rules: sqlite:/absolute/path or postgresql://….",
            valueName: "url")
    )
    var store: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard facts == nil || store == nil else {
            throw ValidationError("--facts and --store both name facts; name one of them.")
        }
    }

    func run() throws {
        let file = try RulesSourceFile(source)
        let text = file.bytes
        let options = try inventory.compilerOptions(for: file)
        let now = at?.milliseconds ?? Clock.wallMilliseconds()
        let ignored = Set(ignore.map(\.check))
        var known: KnownFacts?
        if facts != nil || store != nil {
            let model = try RulesSourceError.mapped(
                to: file.failure, try RulesCompiler.model(of: text, options: options))
            known =
                try facts.map { path throws(ToolFailure) in try KnownFacts(file: path, for: model, text) }
                ?? store.map { url throws(ToolFailure) in
                    // --at is about windows. What will be known of subscribers at another time, nobody knows now.
                    try KnownFacts(store: url, for: model, text, now: Clock.wallMilliseconds())
                }
        }
        let findings = try RulesSourceError.mapped(
            to: file.failure,
            try Lint.findings(in: text, now: now, options: options, ignoring: ignored, facts: known?.facts))
        if output.json || !findings.isEmpty {
            Console.report(file.placed(findings), json: output.json)
        } else {
            let extent = known.map { ", compared with \($0.rowCount) subscribers" } ?? ""
            Console.print("\(source): nothing found\(extent)")
        }
        if findings.contains(where: { $0.severity == .warning }) { throw ExitCode(ExitStatus.no.rawValue) }
    }
}

/// The name of a lint check on the command line: its full code, or the code without `lint.`.
struct LintCheckName: ExpressibleByArgument {
    let check: LintCheck

    init?(argument: String) {
        let name = argument.hasPrefix("lint.") ? String(argument.dropFirst("lint.".count)) : argument
        guard let check = LintCheck(rawValue: name) else { return nil }
        self.check = check
    }

    static var allValueStrings: [String] { LintCheck.allCases.map(\.rawValue) }
}
