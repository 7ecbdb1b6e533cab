internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import Configuration
internal import Cryptography
internal import Effect
internal import Foundation
internal import JSON
internal import NotificationStore
internal import Rules
internal import System

extension Outcome: ExpressibleByArgument {}

struct ReportCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Says what the messages did: subscribers who got them against those held out.",
        discussion: """
            Compares the arms of the holdout, of each rollout and of each rule with arms: whether subscribers kept \
            auto-renewal, renewed, got refunds, and what they paid. A verdict is better, worse, undecided, notEnoughData, or \
            invalid when the data cannot be trusted; it may be looked at every day. retention-report(7) says what is \
            compared and what the numbers mean.

            First the command reads the decision logs into the store: those of --log, of all hosts, in any order and also \
            packed by gzip, else the log of --config. A log that was read before is read on from where it ended. The \
            identifierKeyFile of the hosts joins their records with the notifications. The rules say whose decisions these \
            are; experiments of older rules files are in the report, too.

            --statistics-out writes the sums behind the report, one JSON object on each line, and --statistics makes a \
            report from such a file, also from one that a warehouse wrote. The file counts subscribers by day, so small \
            groups are in it; the report shows no arm and no outcome of fewer than 20.

            --plan reads nothing: it says how many subscribers an experiment needs.

            Examples:
              retentionctl report --rules rules.json \
                --config /etc/retentiond/retentiond.json --html report.html
              retentionctl report --plan --tap-share 0.9 --viewers 400
            """
    )

    @Option(help: "The rules, which name the app and the environment.", completion: .json)
    var rules: String?

    @OptionGroup var catalogue: CatalogueOption
    @OptionGroup var environment: RulesEnvironmentOption
    @OptionGroup var selection: StoreSelection

    @Option(
        help: "A decision log to read into the store first; may be given several times.", completion: .file())
    var log: [String] = []

    @Option(help: "The identifierKeyFile of the hosts; else that of --config.", completion: .file())
    var identifierKey: String?

    @Option(help: "The time of the report: RFC 3339 or milliseconds since 1970; now if absent.")
    var now: TimeArgument?

    @Option(
        help: "Sums that --statistics-out wrote; - for standard input.",
        completion: .file(extensions: ["ndjson"]))
    var statistics: String?

    @Option(help: "Write the sums behind the report too.", completion: .file(extensions: ["ndjson"]))
    var statisticsOut: String?

    @Option(help: "The outcome that verdicts are about.")
    var outcome = Outcome.kept24h

    @Option(help: ArgumentHelp("What a currency is worth, to add revenue.", valueName: "currency=number"))
    var rate: [NamedValue] = []

    @Option(
        help: "Write a page for people; the file is replaced as a whole.",
        completion: .file(extensions: ["html"]))
    var html: String?

    @OptionGroup var plan: PlanOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [rules != nil, statistics != nil, plan.plan].count(where: { $0 }) == 1 else {
            throw ValidationError("Give --rules, --statistics or --plan.")
        }
        guard Outcome.primary.contains(outcome) else {
            let names = Outcome.primary.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--outcome must be one of \(names): about others there is no verdict.")
        }
        let ofStore = log + [identifierKey, selection.store, selection.config].compactMap { $0 }
        guard rules != nil || ofStore.isEmpty && now == nil else {
            throw ValidationError("--now, --log, --identifier-key, --store and --config need --rules.")
        }
        guard plan.plan || plan.viewers == nil else { throw ValidationError("--viewers needs --plan.") }
        guard !plan.plan || (html ?? statisticsOut) == nil && rate.isEmpty else {
            throw ValidationError("--html, --statistics-out and --rate do not go with --plan.")
        }
        _ = try rates()
    }

    private func rates() throws -> [String: Double] {
        var rates: [String: Double] = [:]
        for given in rate {
            guard given.name.wholeMatch(of: /[A-Z]{3}/) != nil, let number = Double(given.value), number > 0,
                number <= 1e9, rates.updateValue(number, forKey: given.name) == nil
            else { throw ValidationError("--rate is a currency and a number above 0, as EUR=1.08.") }
        }
        return rates
    }

    func run() throws {
        if plan.plan { return plan.print(output) }
        let inputs = [rules, statistics, identifierKey].compactMap { $0 } + log
        try OutputPaths.check(
            writing: [html, statisticsOut].compactMap { $0 },
            reading: inputs + (rules == nil ? [] : try selection.inputs()))
        let sums = if let rules { try stored(rules) } else { try read(statistics ?? "-") }
        if let statisticsOut {
            try Output.write(EffectSumsLines.lines(of: sums).flatMap { $0 + [0x0A] }, to: statisticsOut)
        }
        var options = EffectReport.Options()
        (options.outcome, options.rates) = (outcome, try rates())
        (options.expectedUnits, options.effect) = (plan.expectedUnits, plan.effect * (plan.tapShare ?? 1))
        if outcome == .revenue30d || !rate.isEmpty { try checkRates(sums, options.rates) }
        let words = ReportWords(report: EffectReport(sums, options))
        if let html { try Output.write(ReportPage(words: words).bytes, to: html) }
        output.print(json: words.json, lines: words.lines)
    }

    /// The sums of the store, after the logs are in it.
    private func stored(_ path: String) throws -> EffectSums {
        let messages = try catalogue.messages(environment: environment.environment)
        let input = try RulesInput(path, catalogue: messages)
        try environment.check(input)
        let model = input.resolved.model
        let key = try key()
        let logs = try logs()
        let store = try selection.open(logs.isEmpty ? .read : .write)
        let place = store.address.description
        if !logs.isEmpty {
            let read = try ToolError.about(place) { try DecisionImport.run(logs, into: store) }
            var said = "read \(NumberText.count(read.recordCount)) new decision records"
            if read.brokenLineCount > 0 { said += ", \(CountText.of(read.brokenLineCount, "broken line"))" }
            Console.log(said)
        }
        return try ToolError.about(place) {
            try EffectSums(
                store, app: model.bundleId, appAppleId: model.appAppleId,
                environment: model.environment.rawValue, now: now?.milliseconds ?? Clock.wallMilliseconds(),
                key: key)
        }
    }

    private func key() throws -> IdentifierKey {
        if let path = try identifierKey ?? selection.configuration()?.identifierKeyPath {
            return try IdentifierKey.read(path)
        }
        throw ToolError(
            .usage, code: "report.no-key", "without the hosts' key no subscriber is found in the store",
            hint: "--identifier-key, or --config")
    }

    /// Without any the store has what earlier reports have read.
    private func logs() throws -> [String] {
        guard log.isEmpty, let own = try selection.configuration()?.log.decisions else { return log }
        // logrotate renames the log to NAME.1 and later to NAME.2.gz, or with dateext to NAME-20261128.gz.
        let (folder, name) = AtomicFile.split(own)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let logs = names.filter { $0 == name || $0.hasPrefix(name + ".") || $0.hasPrefix(name + "-") }
            .sorted()
        if logs.isEmpty { Console.log("no log at \(own)") }
        return logs.map { "\(folder)/\($0)" }
    }

    private func read(_ path: String) throws -> EffectSums {
        var reader = EffectSumsReader()
        try InputLines.forEach(in: path) { number, line in
            let findings = reader.add(line, number: number, file: path)
            guard findings.isEmpty else { throw ToolError(findings) }
        }
        guard let sums = reader.finished() else {
            throw ToolError(code: "report.no-sums", "no sums in it", file: path)
        }
        return sums
    }

    /// A verdict on revenue is about all of it.
    private func checkRates(_ sums: EffectSums, _ rates: [String: Double]) throws {
        let keys = sums.experiments.flatMap { $0.cells.flatMap(\.values.keys) }
        let currencies = Set(keys.filter { $0.outcome == .revenue30d }.compactMap(\.currency))
        let missing = currencies.subtracting(rates.keys).sorted()
        guard currencies.count > 1, !missing.isEmpty else { return }
        throw ToolError(
            code: "report.no-rate",
            "revenue in several currencies, without a rate of \(missing.joined(separator: ", "))",
            hint: "--rate \(missing[0])=1")
    }
}
