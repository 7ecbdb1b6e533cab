internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import JSON
internal import Rules
internal import System

struct Simulate: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Decides for every subscriber of a facts file, and shows how many get what.",
        discussion: """
            Every subscriber opens the details page once, at the time --at, and is decided as by a service that can sign \
            everything: with caps, holdout, and the age that the facts have then. The result is how many each rule and arm \
            reaches, at which step rules fail (also of the held out), and who gets nothing; by product, locale and storefront. With --against the \
            same for other rules, and which answers change.

            The product is drawn by the shares of --product. Without the option it is the fact currentProductId, and where the \
            facts do not say it, it is drawn by the shares of --log. The locale is drawn by the shares of --locale, or of the log's \
            requests for the same product. The draw is made from the subscriber's identifier: the next run makes the same. \
            --log takes decision records and whatever else diff takes as a sample.

            Products, locales, storefronts and changes with fewer than 20 subscribers are folded into one, as are all after the \
            first 50. In the other rows of a product, locale or storefront a count below 20 is <20 (null in JSON); \
            the others of its row or column may tell it all the same.

            Example:
              retentionctl simulate rules.json --facts app.facts \\
                --log decisions.ndjson --against live.rules.json
            """
    )

    @Argument(help: "The rules in JSON; - for standard input.", completion: .file())
    var file: String

    @Option(help: "The facts file, whose subscribers are decided.", completion: .facts)
    var facts: String

    @Option(help: "Other rules to compare with, such as those that are served.", completion: .file())
    var against: String?

    @Option(
        help: "Decision records or requests with the products and locales that subscribers have.",
        completion: .file(extensions: ["ndjson", "jsonl", "log"]))
    var log: String?

    @Option(help: ArgumentHelp("A product, and its share as a whole number.", valueName: "product[=share]"))
    var product: [ShareArgument] = []

    @Option(help: ArgumentHelp("A locale, and its share as a whole number.", valueName: "locale[=share]"))
    var locale: [ShareArgument] = []

    @Option(help: "The time of the requests: RFC 3339 or milliseconds since 1970; now if absent.")
    var at: TimeArgument?

    @OptionGroup var catalogue: CatalogueOption
    @OptionGroup var environment: RulesEnvironmentOption

    @Option(
        help: "Write a page for people; the file is replaced as a whole.",
        completion: .file(extensions: ["html"]))
    var html: String?

    @OptionGroup var output: OutputOptions

    private var inputs: [String] { [file, facts] + [against, log].compactMap { $0 } }

    func validate() throws {
        guard inputs.count(where: { $0 == "-" }) <= 1, facts != "-" else {
            throw ValidationError("Only one of the inputs can be standard input, and the facts cannot.")
        }
    }

    func run() throws {
        if let html { try OutputPaths.check(writing: [html], reading: inputs) }
        let messages = try catalogue.messages(environment: environment.environment)
        let input = try RulesInput(file, catalogue: messages)
        let old = try against.map { try RulesInput($0, catalogue: messages).rules }
        try environment.check(input)
        if let old, old.owner != input.rules.owner {
            throw ToolError(
                code: "input.other-app",
                "rules of \(old.owner); those of \(file) are of \(input.rules.owner)",
                file: against)
        }
        for given in product { try input.check(product: given.name) }
        let known = try CompiledFacts.open(facts, check: .structure)
        let simulation = Simulation(
            new: (input.rules, try FactsSource(known, facts, for: input.rules)),
            old: try old.map { ($0, try FactsSource(known, facts, for: $0)) },
            requests: try requests(known, input.rules),
            nowMilliseconds: at?.milliseconds ?? Clock.wallMilliseconds())
        let report = SimulationReport(
            simulation, simulation.run(), rules: file, against: against, facts: facts)
        if let html { try Output.write(report.page, to: html) }
        output.print(json: report.json, lines: report.lines)
    }

    private func requests(_ known: FactsFile, _ rules: RulesFile) throws -> SimulatedRequests {
        var logged: [RequestKind: Int] = [:]
        if let log {
            _ = try Sample.forEach(in: log, old: rules, new: rules) {
                logged[RequestKind(product: $0.productId, locale: $0.userLocale), default: 0] += 1
            }
        }
        let requests = SimulatedRequests(products: product, locales: locale, logged: logged, known)
        guard requests.hasProducts else {
            throw ValidationError(
                "The facts file has no currentProductId: give --product, or --log, which has products.")
        }
        guard requests.hasLocales else {
            throw ValidationError("Give --locale, or --log, which has locales.")
        }
        return requests
    }
}

/// `pro_monthly=3`, or a name alone, whose share is 1.
struct ShareArgument: ExpressibleByArgument {
    let name: String
    let share: Int

    init?(argument: String) {
        guard let mark = argument.lastIndex(of: "=") else {
            (name, share) = (argument, 1)
            return
        }
        guard let share = Int(argument[argument.index(after: mark)...]), (1...1_000_000).contains(share)
        else {
            return nil
        }
        (name, self.share) = (String(argument[..<mark]), share)
    }
}
