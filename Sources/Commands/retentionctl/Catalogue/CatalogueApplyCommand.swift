internal import AppStoreServerAPI
internal import ArgumentParser
internal import Catalogue
internal import CommandLineTool
internal import System

struct CatalogueApplyCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Uploads images and messages, sets default messages and the URL.",
        discussion: """
            Shows the plan and asks, unless --confirm agrees. Uploads images, then messages; sets the default messages \
            that Apple has approved; sets the URL when no default message waits any more. What is about to be done is in \
            --state before it is sent: after a kill at any point the next run goes on and uploads nothing twice. Ends with 0 \
            when everything is done, with 2 when the rest waits for Apple's review, with 1 when something was refused.

            --prune then deletes what the catalogue does not name. A message that is set as a default message, or that \
            rules of --rules name, is never deleted. So Apple is asked for every default message just before the first message \
            is deleted, one call each, since another machine may have set another one. Default messages of products and \
            locales that neither the catalogue nor the state names are not known: name all of them in the catalogue. An image \
            stays as long as a message at Apple names it. Production needs --rules. A deleted identifier cannot be used again.

            Example:
              retentionctl catalogue apply catalogue.json --environment Sandbox
              retentionctl catalogue apply catalogue.json \\
                --environment Production --confirm --wait
              retentionctl catalogue apply catalogue.json \\
                --environment Production --prune --rules com.example.app.rules.json
            """
    )

    @OptionGroup var catalogue: CatalogueOptions

    @Flag(help: "Wait until Apple has reviewed what default messages need.")
    var wait = false

    @Option(help: "The longest wait for Apple's review, in minutes; 10080 if absent.")
    var waitLimit: Int64?

    @Flag(help: "Delete images and messages at Apple that nothing names any more.")
    var prune = false

    @OptionGroup var rules: RulesUseOptions
    @OptionGroup var consent: ConfirmOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard waitLimit == nil || wait else { throw ValidationError("--wait-limit needs --wait.") }
        if let waitLimit, !(1...525_600).contains(waitLimit) {
            throw ValidationError("--wait-limit must be 1 to 525600.")
        }
        guard !prune || catalogue.apple.environment != .production || !rules.rules.isEmpty else {
            throw ValidationError(
                "In Production, --prune needs --rules, which say which messages are in use.")
        }
    }

    func run() throws {
        let open = try catalogue.open(isWriting: true)
        let uses = CatalogueUses(try rules.models(open))
        let pruning = prune ? Pruning(uses: uses, places: open.places) : nil
        var plan = CataloguePlan(open.resolved, open.file.state, pruning: pruning)
        if !output.json {
            Console.print(lines: plan.text)
        } else if !consent.confirm {
            for line in plan.text { Console.log(line) }
        }
        let hasChanges = plan.hasChanges
        if hasChanges {
            try consent.ask(
                "Apply \(CountText.of(plan.changeCount, "change")) to \(open.session.placeToChange)")
            plan = apply(plan, open)
        }
        if output.json || hasChanges { output.print(json: plan.json, lines: plan.outcomeText) }
        if let failure = plan.failure {
            guard output.json else { throw failure }
            throw ExitCode(failure.exitStatus.rawValue)
        }
        if plan.isWaitingOnly { throw ExitCode(ExitStatus.changes.rawValue) }
        if !plan.isComplete || !plan.problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }

    private func apply(_ plan: CataloguePlan, _ open: OpenCatalogue) -> CataloguePlan {
        let apply = CatalogueApply(
            plan, open.session.client, open.file,
            timing: .system(),
            readImage: { try open.images.bytes($0.file) },
            progress: { Self.show($0) }
        )
        defer { Console.endProgress() }
        let end = Clock.wallMilliseconds() + (waitLimit ?? 10_080) * 60_000
        return apply.run(
            images: open.resolved.imagesByMessage, wait: wait ? .until(milliseconds: end) : .none)
    }

    private static func show(_ progress: ApplyProgress) {
        switch progress {
        case .step(let step, let left):
            Console.progress(DisplayText.escaped("\(step.title) (\(left) left)"))
        case .review(let count, let time):
            Console.endProgress()
            let next = CivilTime(milliseconds: time)
            let items = count == 1 ? "an image or message" : "\(count) images and messages"
            Console.log("Apple has not approved \(items) yet; asking again at \(next)")
        case .outage(let error, let time):
            Console.endProgress()
            let next = CivilTime(milliseconds: time)
            Console.log("\(error.code): Apple's lists could not be read; asking again at \(next)")
        case .defaults(let done, let all):
            Console.progress("asking for default messages: \(done) of \(all)")
        }
    }
}
