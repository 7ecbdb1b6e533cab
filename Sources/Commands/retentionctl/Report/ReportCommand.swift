internal import ArgumentParser
internal import CommandLineTool
internal import Effect
internal import JSON
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

            --statistics-out writes the sums behind the report, one JSON object on each line, and --statistics makes a \
            report from such a file, also from one that a warehouse wrote. The file counts subscribers by day, so small \
            groups are in it; the report has none of fewer than 20.

            --plan reads nothing: it says how many subscribers an experiment needs.

            Examples:
              retentionctl report --statistics sums.ndjson --html report.html
              retentionctl report --plan --tap-share 0.9 --viewers 400
            """
    )

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
        guard [statistics != nil, plan.plan].count(where: { $0 }) == 1 else {
            throw ValidationError("Give --statistics or --plan.")
        }
        guard Outcome.primary.contains(outcome) else {
            let names = Outcome.primary.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--outcome must be one of \(names): about others there is no verdict.")
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
        try OutputPaths.check(
            writing: [html, statisticsOut].compactMap { $0 }, reading: [statistics].compactMap { $0 })
        let sums = try sums()
        if let statisticsOut {
            let lines = EffectSumsLines.lines(of: sums)
            try write(
                Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")], to: statisticsOut
            )
        }
        var options = EffectReport.Options()
        (options.outcome, options.rates) = (outcome, try rates())
        (options.expectedUnits, options.effect) = (plan.expectedUnits, plan.effect)
        if outcome == .revenue30d { try checkRates(sums, options.rates) }
        let words = ReportWords(report: EffectReport(sums, options))
        if let html { try write(ReportPage(words: words).bytes, to: html) }
        output.print(json: words.json, lines: words.lines)
    }

    private func sums() throws -> EffectSums {
        try read(statistics ?? "-")
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

    private func write(_ bytes: [UInt8], to path: String) throws {
        try ToolError.about(path) {
            try AtomicFile.write(bytes.span, to: path, permissions: FileCreationMask.permissionsOfFiles())
        }
    }
}
