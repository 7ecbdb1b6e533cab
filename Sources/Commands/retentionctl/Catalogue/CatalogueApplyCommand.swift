internal import AppStoreServerAPI
internal import ArgumentParser
internal import Catalogue
internal import JSON
internal import System
internal import Vocabulary

/// Makes Apple have what a catalogue wants.
struct CatalogueApplyCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Uploads images and messages, sets default messages and the URL.",
        discussion: """
            Shows the plan and asks, unless --confirm agrees. Uploads images, then messages; sets the default messages \
            that Apple has approved; sets the URL when no default message waits any more. Deletes nothing. Every call \
            is in the journal in --state before it is sent: after a kill at any point the next run goes on and uploads \
            nothing twice. Ends with 0 when everything is done, with 2 when the rest waits for Apple's review, with 1 \
            when something was refused.

            Example:
              retentionctl catalogue apply catalogue.json --environment Sandbox
              retentionctl catalogue apply catalogue.json \\
                --environment Production \\
                --confirm --wait
            """
    )

    @OptionGroup var catalogue: OnlineCatalogueOptions

    @Flag(help: "Wait until Apple has reviewed what default messages need.")
    var wait = false

    @Option(
        help: ArgumentHelp(
            "The longest wait for Apple's review, in minutes; 10080 if absent.", valueName: "minutes")
    )
    var waitLimit: Int64?

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard waitLimit == nil || wait else { throw ValidationError("--wait-limit needs --wait.") }
        if let waitLimit, !(1...525_600).contains(waitLimit) {
            throw ValidationError("--wait-limit must be 1 to 525600.")
        }
    }

    func run() throws {
        let online = try catalogue.open()
        let journal = try online.journal()
        let plan = try online.plan(journal)
        if !output.json {
            Console.print(lines: plan.text)
        } else if !consent.confirm {
            for line in plan.text { Console.note(line) }
        }
        var report = ApplyReport()
        if plan.hasChanges {
            try consent.ask(
                "Apply \(CountText.of(plan.changeCount, "change")) to \(online.session.placeToChange)"
            )
            report = apply(plan, online, journal)
        }
        try show(report, plan)
    }

    private func apply(_ plan: CataloguePlan, _ online: OnlineCatalogue, _ journal: CatalogueJournal)
        -> ApplyReport
    {
        let apply = CatalogueApply(
            online.session.client,
            journal: journal,
            timing: ApplyTiming(now: Clock.wallMilliseconds, sleep: Clock.sleep),
            readImage: { image throws(ImageFiles.Problem) in try online.images.bytes(image.file) },
            progress: { Self.show($0) }
        )
        let end = Clock.wallMilliseconds() + (waitLimit ?? 10_080) * 60_000
        let report = apply.run(
            plan, images: online.resolved.imagesByMessage, wait: wait ? .until(milliseconds: end) : .none)
        Console.endProgress()
        return report
    }

    private static func show(_ progress: ApplyProgress) {
        switch progress.activity {
        case .step(let step):
            let left = progress.stepCount - progress.passedCount
            Console.progress(DisplayText.escaped("\(step.title) (\(left) of \(progress.stepCount) left)"))
        case .review(let count, let time):
            Console.endProgress()
            let next = CivilTime(milliseconds: time)
            let items = count == 1 ? "an image or message" : "\(count) images and messages"
            Console.note("Apple has not approved \(items) yet; asking again at \(next)")
        case .outage(let error, let time):
            Console.endProgress()
            let next = CivilTime(milliseconds: time)
            Console.note("\(error.code): Apple's lists could not be read; asking again at \(next)")
        }
    }

    private func show(_ report: ApplyReport, _ plan: CataloguePlan) throws {
        if output.json {
            Console.print(.object([("plan", plan.json), ("report", report.json)]))
        } else if plan.hasChanges {
            Console.print(lines: report.text)
        }
        if let failure = report.failure {
            guard output.json else { throw ToolFailure(failure) }
            throw ExitCode(ExitStatus(for: failure).rawValue)
        }
        if report.isWaitingOnly { throw ExitCode(ExitStatus.changes.rawValue) }
        if !report.isComplete || !plan.problems.isEmpty { throw ExitCode(ExitStatus.no.rawValue) }
    }
}
