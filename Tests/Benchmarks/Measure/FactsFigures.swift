internal import BenchmarkStatistics
internal import DataFiles
internal import System
internal import Vocabulary

/// Measures the lookup of a subscriber and the compilation of a facts file.
struct FactsFigures {
    private let plan: Plan
    private var workspace: Workspace { plan.workspace }

    init(_ plan: Plan) {
        self.plan = plan
    }

    /// Measures the figures that the plan wants. Those that take minutes need `--full`.
    func measure() throws -> [Figure] {
        var figures: [Figure] = []
        if plan.wantsFacts("lookup") {
            figures += try lookup(rowCount: 1_000_000, bar: 0.3)
            if plan.isFull { figures += try lookup(rowCount: 100_000_000, bar: 1) }
        }
        if plan.isFull, plan.wantsFacts("facts-compile") { figures += try compile(rowCount: 10_000_000) }
        return figures
    }

    /// Measures a lookup in a file of `rowCount` rows in warm memory. The keys are random and every second key is
    /// absent; for each present key a value is read. Also reports the size of a row.
    private func lookup(rowCount: Int, bar microseconds: Double) throws -> [Figure] {
        let path = workspace.path(of: "lookup.facts")
        try FactsMaking.write(rowCount: rowCount, to: path)
        defer { try? Directory.removeFile(path: path) }
        let file = try FactsFile(
            mapping: MappedMemory(of: FileDescriptor.openForReading(path: path)), check: .full)
        var random = UInt64(rowCount)
        let count = 2_000_000
        var values: [Double] = []
        // The first round brings the pages of the mapping into memory; it does not count.
        for round in 0...max(plan.pairs, 5) {
            let start = Clock.threadProcessorNanoseconds()
            var found = 0
            for index in 0..<count {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let row = random.multipliedFullWidth(by: UInt64(rowCount)).high
                let key = FactsMaking.key(of: row) + UInt64(index & 1)
                if let row = file.find(key), file.integer(column: 0, row: row) != nil { found += 1 }
            }
            let elapsed = Double(Clock.threadProcessorNanoseconds() - start) / Double(count) / 1000
            guard found == count / 2 else { throw Failure("\(found) of \(count) keys were found") }
            if round > 0 { values.append(elapsed) }
        }
        guard let sample = Sample(values) else { throw Failure("no sample") }
        let name = "\(rowCount / 1_000_000) million rows"
        return [
            Figure(
                "processor time of a lookup in facts of \(name)", sample, unit: "µs",
                bar: .atMost(microseconds), remark: "half of the keys absent, a value read for the others"),
            Self.size(of: file, name),
        ]
    }

    /// Reports the size of a row, divided by the size of its key and its values alone, without the bits that say
    /// whether a value is present.
    private static func size(of file: FactsFile, _ name: String) -> Figure {
        let row = Double(file.header.fileByteCount) / Double(file.rowCount)
        let packed = 8 + Double(file.columns.reduce(0) { $0 + $1.bitCount }) / 8
        return Figure(
            "bytes of a row in facts of \(name), over those of its key and packed values",
            value: row / packed, unit: "ratio", bar: .atMost(1.5),
            remark: "\(FigureTable.number(row)) over \(FigureTable.number(packed)) bytes")
    }

    /// Measures `retentionctl facts compile` for a table of eight columns, in its own process.
    private func compile(rowCount: Int) throws -> [Figure] {
        let table = workspace.path(of: "subscribers.csv")
        let path = workspace.path(of: "compiled.facts")
        try FactsMaking.writeTable(rowCount: rowCount, to: table)
        defer {
            for path in [table, path] { try? Directory.removeFile(path: path) }
        }
        let facts = """
            {"app": {"appAppleId": \(Traffic.appAppleId)}, "environment": "Sandbox", "facts": {
             "paidPeriods": "int", "inTrial": "bool", "storefront": "string", "lastOfferAt": "date",
             "offersAccepted": "int", "plan": "enum(\(FactsMaking.plans.joined(separator: ",")))",
             "startedAt": "date", "spentCents": "int"}}
            """
        try workspace.write(facts, to: "schema.json")
        var seconds: [Double] = []
        var peak = 0.0
        for _ in 0..<3 {
            let run = try MeasuredRun(
                plan.products + "/retentionctl",
                ["facts", "compile", table, "--schema", workspace.path(of: "schema.json"), "-o", path],
                in: workspace)
            seconds.append(run.seconds)
            peak = max(peak, run.peakByteCount)
        }
        let file = try FactsFile(
            mapping: MappedMemory(of: FileDescriptor.openForReading(path: path)), check: .full)
        guard let sample = Sample(seconds), file.rowCount == rowCount else { throw Failure("no facts file") }
        let size = Double(file.header.fileByteCount)
        let number = FigureTable.number
        return [
            Figure(
                "time of facts compile, 10 million rows of 8 columns", sample, unit: "s", bar: .atMost(15)),
            Figure(
                "peak memory of facts compile, over the size of the file that it writes", value: peak / size,
                unit: "ratio", bar: .atMost(2),
                remark: "\(number(peak / 1_048_576)) MiB over \(number(size / 1_048_576)) MiB"),
            Self.size(of: file, "10 million rows"),
        ]
    }
}
