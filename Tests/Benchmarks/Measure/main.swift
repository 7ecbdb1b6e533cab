internal import BenchmarkStatistics
internal import JSON
internal import System

/// Measures the figures that the plan wants and adds them to `figures`.
func measure(_ plan: Plan, into figures: inout [Figure]) throws {
    figures += try FactsFigures(plan).measure()
    if plan.wants("rules") { figures += try EvaluationFigures(samples: plan.pairs).measure() }
    let isReloading = plan.isFull && plan.wantsFacts("facts-reload")
    let (known, unseen, offers) = (plan.wants("known"), plan.wants("unseen"), plan.wants("offers"))
    let (storing, taking) = (plan.wants("store"), plan.wants("notifications"))
    let (unnoticed, history) = (plan.wants("unnoticed"), plan.wants("history"))
    let (overloading, counting) = (plan.wants("overload"), plan.wants("metrics"))
    let isServing = ["rate", "delay", "reload", "memory"].contains(where: plan.wants)
    let isInProcess = known || unseen || offers || storing || history
    let hasNotifications = storing || taking || unnoticed || history
    guard isInProcess || hasNotifications || isServing || isReloading || overloading || counting
    else { return }
    let traffic = try Traffic(in: plan.workspace)
    let notifications = hasNotifications ? try NotificationTraffic(traffic, in: plan.workspace) : nil
    if isInProcess {
        let inProcess = try InProcess(traffic, pairs: plan.pairs)
        if known { figures.append(try inProcess.knownChain()) }
        if unseen { figures.append(try inProcess.unseenChain()) }
        if offers { figures += try OfferFigures(plan, inProcess).measure() }
        if storing, let notifications {
            figures += try StoreFigures(plan, inProcess, notifications).measure()
        }
        if history, let notifications {
            figures += try HistoryFigures(plan, traffic, inProcess, notifications).measure()
        }
    }
    if isServing { figures += try ServedFigures(plan, traffic).measure() }
    if let notifications {
        if taking { figures += try NotificationFigures(plan, traffic, notifications).measure() }
        if unnoticed { figures += try UnnoticedFigures(plan, traffic, notifications).measure() }
    }
    if counting { figures += try MetricFigures(plan: plan, traffic: traffic).measure() }
    if overloading { figures += try OverloadFigures(plan, traffic).measure() }
    if isReloading { figures += try FactsReload(plan, traffic).measure() }
}

/// Prints the table and writes the JSON file.
func report(_ figures: [Figure], _ plan: Plan) throws {
    try say(FigureTable(figures).text)
    if let path = plan.json {
        let text = JSONNode.array(figures.map(\.json)).serialized(pretty: true) + [UInt8(ascii: "\n")]
        try AtomicFile.write(text.span, to: path)
    }
}

/// Writes to standard output at once.
func say(_ text: String) throws {
    let output = FileDescriptor(takingOwnership: 1)
    let bytes = Array(text.utf8)
    try output.write(bytes.span)
    _ = output.release()
}

/// Measures and reports; returns the exit status. Programs that are still running end with the objects that own them,
/// which is before this function returns.
func run() -> Int32 {
    do {
        let plan = try Plan(Array(CommandLine.arguments.dropFirst()))
        var figures: [Figure] = []
        // Figures that were measured before a failure are reported, too.
        let failure = Result { try measure(plan, into: &figures) }
        try report(figures, plan)
        try failure.get()
        return figures.allSatisfy(\.holds) ? 0 : 1
    } catch {
        try? say("benchmarks: \(error)\n")
        return 70
    }
}

Processes.exit(run())
