internal import ArgumentParser
internal import Catalogue
internal import CommandLineTool
internal import Effect
internal import JSON

/// What an experiment that has not begun may find.
struct PlanOptions: ParsableArguments {
    @Flag(help: "Say how many subscribers an experiment needs, and nothing else.")
    var plan = false

    @Option(help: "In a plan, the share of those who tap Cancel that stays without a message.")
    var baseline = ExperimentPlan().baseline

    @Option(help: "The difference to find, as a share of those who tap Cancel.")
    var effect = ExperimentPlan().effect

    @Option(help: "In a plan, the share that is held out.")
    var heldOut = ExperimentPlan().heldOut

    @Option(help: "The share of those who view the page and then tap Cancel; without it all.")
    var tapShare: Double?

    @Option(help: "In a plan, how many subscribers view the page for the first time on a day.")
    var viewers: Int?

    @Option(help: "The number of subscribers at which intervals are narrowest.")
    var expectedUnits = ExperimentPlan().expectedUnits

    func validate() throws {
        func check(_ name: String, _ share: Double) throws {
            guard share >= 1e-6, share < 1 else {
                throw ValidationError("\(name) must be at least 0.000001 and below 1.")
            }
        }
        try check("--baseline", baseline)
        try check("--effect", effect)
        try check("--held-out", heldOut)
        guard baseline + effect < 1 else {
            throw ValidationError("--baseline and --effect are more than all.")
        }
        guard tapShare ?? 1 >= 1e-6, tapShare ?? 1 <= 1 else {
            throw ValidationError("--tap-share must be at least 0.000001 and at most 1.")
        }
        guard (1...1_000_000_000).contains(viewers ?? 1) else {
            throw ValidationError("--viewers must be 1 to 1000000000.")
        }
        guard (100...1_000_000_000).contains(expectedUnits) else {
            throw ValidationError("--expected-units must be 100 to 1000000000.")
        }
    }

    func print(_ output: OutputOptions) {
        let plans = (tapShare.map { [$0] } ?? [1, 0.9, 0.5]).map { share in
            var plan = ExperimentPlan()
            (plan.baseline, plan.effect, plan.heldOut) = (baseline, effect, heldOut)
            (plan.tapShare, plan.expectedUnits) = (share, expectedUnits)
            return plan
        }
        func days(_ plan: ExperimentPlan) -> Int? {
            viewers.map { Int(min((plan.units / Double($0)).rounded(.up), 1e9)) }
        }
        let title =
            "Of those who tap Cancel \(NumberText.percent(baseline)) stay without a message, and "
            + "\(NumberText.points(effect)) points more with one; \(NumberText.percent(heldOut)) are held out."
        let rows = plans.map { plan in
            [
                NumberText.percent(plan.tapShare, 0), "\(NumberText.points(plan.dilutedEffect)) points",
                NumberText.decimal(plan.units.rounded(.up), 0),
                NumberText.decimal(plan.unitsForOneLook.rounded(.up), 0),
            ] + (days(plan).map { [NumberText.count($0)] } ?? [])
        }
        let head =
            ["tap Cancel", "difference", "subscribers", "with one look"] + (viewers == nil ? [] : ["days"])
        let nodes = plans.map { plan -> JSONNode in
            [
                "tapShare": .real(plan.tapShare), "difference": .real(plan.dilutedEffect),
                "units": .real(plan.units.rounded(.up)),
                "unitsForOneLook": .real(plan.unitsForOneLook.rounded(.up)), "days": JSONNode(days(plan)),
            ]
        }
        let document: JSONNode = [
            "baseline": .real(baseline), "effect": .real(effect), "heldOut": .real(heldOut),
            "expectedUnits": JSONNode(expectedUnits), "plans": .array(nodes),
        ]
        let table = TextTable.lines([head] + rows, right: [0, 1, 2, 3, 4])
        let words =
            "With so many subscribers four of five experiments find the difference. Verdicts may be looked at "
            + "every day; a test that is looked at once needs fewer."
        output.print(json: document, lines: [title, ""] + table + ["", words])
    }
}
