internal import BenchmarkStatistics
internal import JSON
internal import System

/// Measures what is asked for, prints the table and writes the JSON file.
func measure(_ plan: Plan) throws {
    let traffic = try Traffic(in: plan.workspace)
    var figures: [Figure] = []
    let inProcess = InProcess(traffic, pairs: plan.pairs)
    if plan.wants("known") { figures.append(try inProcess.knownChain()) }
    if plan.wants("unseen") { figures.append(try inProcess.unseenChain()) }
    if plan.wants("served") { figures += try ServedFigures(plan, traffic).measure() }
    print(FigureTable(figures).text, terminator: "")
    if let path = plan.json {
        let text = JSONNode.array(figures.map(\.json)).serialized(pretty: true) + [UInt8(ascii: "\n")]
        try AtomicFile.write(text.span, to: path)
    }
}

do {
    try measure(Plan(Array(CommandLine.arguments.dropFirst())))
} catch {
    print("benchmarks: \(error)")
    Processes.exit(1)
}
