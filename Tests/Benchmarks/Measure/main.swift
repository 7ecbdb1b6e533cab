internal import JSON
internal import System

/// Measures the figures that the plan wants and adds them to `figures`.
func measure(_ plan: Plan, into figures: inout [Figure]) throws {
    if plan.wants("rules") { figures += try EvaluationFigures(samples: plan.pairs).measure() }
    let traffic = try Traffic(in: plan.workspace)
    let inProcess = try InProcess(traffic, pairs: plan.pairs)
    if plan.wants("known") { figures.append(try inProcess.knownChain()) }
    if plan.wants("unseen") { figures.append(try inProcess.unseenChain()) }
    if ["rate", "reload", "delay", "flood", "memory"].contains(where: plan.wants) {
        figures += try ServedFigures(plan, traffic).measure()
    }
    if plan.wants("records") { figures.append(try ServedFigures.records(plan, traffic)) }
    if plan.wants("notifications") { figures += try NotificationFigures(plan, traffic).measure() }
    if plan.wants("history") { figures += try HistoryFigures(plan, inProcess).measure() }
    if plan.wants("facts") { figures += try FactsFigures(plan).measure(traffic) }
}

/// Prints the table and writes the JSON file.
func report(_ figures: [Figure], _ plan: Plan) throws {
    try say(Figure.table(figures))
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
