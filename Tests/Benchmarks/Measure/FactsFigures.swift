internal import Facts
internal import Rules
internal import System

/// Measures the lookup of a subscriber and the compilation of a facts file.
struct FactsFigures {
    private let plan: Plan
    private var workspace: Workspace { plan.workspace }

    init(_ plan: Plan) {
        self.plan = plan
    }

    func measure(_ traffic: Traffic) throws -> [Figure] {
        try [lookup(rowCount: 1_000_000)]
            + large(traffic, rowCount: plan.isFull ? 50_000_000 : 500_000 * plan.pairs)
    }

    /// Measures a lookup in a file of `rowCount` rows in warm memory. The keys are random and every second key is absent; for
    /// each present key a value is read.
    private func lookup(rowCount: Int) throws -> Figure {
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
            let start = threadProcessorNanoseconds()
            var found = 0
            for index in 0..<count {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let row = random.multipliedFullWidth(by: UInt64(rowCount)).high
                let key = FactsMaking.key(of: row) + UInt64(index & 1)
                if let row = file.find(key), file.integer(column: 0, row: row) != nil { found += 1 }
            }
            let elapsed = Double(threadProcessorNanoseconds() - start) / Double(count) / 1000
            guard found == count / 2 else { throw Failure("\(found) of \(count) keys were found") }
            if round > 0 { values.append(elapsed) }
        }
        return try Figure(
            "processor time of a lookup in facts of a million rows", values, unit: "µs", bar: .atMost(0.3),
            remark: "half of the keys absent, a value read for the others")
    }

    /// Measures `retentionctl facts build` for a table of eight columns, the first load of the file that it writes, and
    /// reloads of other rules beside it.
    private func large(_ traffic: Traffic, rowCount: Int) throws -> [Figure] {
        let (table, path) = (workspace.path(of: "subscribers.csv"), workspace.path(of: "compiled.facts"))
        try FactsMaking.writeTable(rowCount: rowCount, to: table)
        let facts = """
            {"app": {"appAppleId": \(Traffic.appAppleId)}, "environment": "Sandbox", "facts": {
             "paidPeriods": "int", "inTrial": "bool", "storefront": "string", "lastOfferAt": "date",
             "offersAccepted": "int", "plan": "enum(\(FactsMaking.plans.joined(separator: ",")))",
             "startedAt": "date", "spentCents": "int"}}
            """
        try workspace.write(facts, to: "schema.json")
        let compile = try Program.seconds(
            plan.products + "/retentionctl",
            ["facts", "build", table, "--schema", workspace.path(of: "schema.json"), "-o", path],
            in: workspace)
        try Directory.removeFile(path: table)
        let copy = try Program.seconds(
            "/bin/sh", ["-c", "cp $0 $0.copy && sync $0.copy && cat $0.copy >/dev/null && rm $0.copy", path],
            in: workspace)
        let byteCount = try FileStatus(path: path).byteCount
        let pool = try Pool(
            plan, name: "facts-pool", anchors: traffic.anchorFile,
            rules: RulesSource.readingFacts(generation: 0))
        let server = Server(
            try Gateway("facts-nginx", plan, socket: pool.socket), plan, requests: traffic.requestsFile
        ) { try pool.workers() }
        defer {
            server.gateway.stop()
            pool.stop()
        }
        try Directory.rename(path, to: workspace.path(of: "facts-pool/data/benchmark.facts"))
        let loads = try (1...4).map { generation in
            try server.reload(
                pool, rules: RulesSource.readingFacts(generation: generation),
                old: RulesSource.message(of: generation - 1), seconds: generation == 1 ? 2 + 4 * copy : 3)
                / 1000
        }
        let what = "\(rowCount / 1_000_000) million rows, \(Figure.number(Double(byteCount) / 1e6)) MB"
        func bar(_ number: Double) -> Figure.Bar { plan.isFull ? .atMost(number) : .reported }
        return try [
            Figure("time of facts build", [compile], unit: "s", bar: bar(18), remark: what),
            Figure("time of the first load of these facts", [loads[0]], unit: "s", remark: what),
            Figure(
                "the same, over a plain copy, sync and read of the file", [loads[0]], over: [copy], of: "s",
                bar: bar(1.5)),
            Figure(
                "time of a reload of rules beside unchanged facts", Array(loads[1...]), unit: "s",
                bar: bar(0.3),
                remark: what),
        ]
    }
}

/// Makes facts of invented subscribers.
enum FactsMaking {
    static let columns: [FactsBuilder.Column] = [
        .init(name: "paidPeriods", kind: .integer), .init(name: "inTrial", kind: .boolean),
        .init(name: "storefront", kind: .string), .init(name: "lastOfferAt", kind: .date),
        .init(name: "offersAccepted", kind: .integer), .init(name: "plan", kind: .string),
        .init(name: "startedAt", kind: .date), .init(name: "spentCents", kind: .integer),
    ]
    static let plans = ["monthly", "annual", "weekly", "family"]

    /// Returns the key of a row when keys are 614 apart. All keys are even, so odd keys are absent.
    static func key(of row: UInt64) -> UInt64 { 2_000_000_000 + row * 614 }

    /// Writes a facts file of `rowCount` rows.
    static func write(rowCount: Int, to path: String) throws {
        var builder = FactsBuilder(columns: columns)
        var random: UInt64 = 7
        let texts = plans.map { Array($0.utf8) }
        for row in 0..<rowCount {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bits = Int64(bitPattern: random >> 8)
            builder.set(bits % 61, column: 0)
            builder.set(bits >> 6 & 1, column: 1)
            let storefront = [UInt8(65 + bits % 5), UInt8(65 + bits / 5 % 5), UInt8(65 + bits / 25 % 7)]
            try builder.set(storefront.span, column: 2)
            if bits & 1 == 0 { builder.set(1_700_000_000_000 + bits % 95_000_000 * 1000, column: 3) }
            builder.set(bits >> 7 & 3, column: 4)
            let text = texts[Int(bits >> 9 & 3)]
            try builder.set(text.span, column: 5)
            builder.set(1_600_000_000_000 + bits / 7 % 195_000_000 * 1000, column: 6)
            builder.set(bits / 3 % 100_000, column: 7)
            builder.commit(key: key(of: UInt64(row)), line: row + 2)
        }
        let stamp = DataFileStamp(
            builtAtMilliseconds: Clock.wallMilliseconds(), writerVersion: "benchmark")
        let making = FactsFileIdentity(appAppleId: Traffic.appAppleId, environment: .sandbox, stamp: stamp)
        var output = try AtomicFileWriter(path: path)
        try builder.write(making, to: &output)
        try output.commit()
    }

    /// Writes the same kind of rows as comma-separated values.
    static func writeTable(rowCount: Int, to path: String) throws {
        var output = try AtomicFileWriter(path: path)
        var text = Array("originalTransactionId,\(columns.map(\.name).joined(separator: ","))\n".utf8)
        var random: UInt64 = 7
        for row in 0..<rowCount {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bits = Int64(bitPattern: random >> 8)
            append(Int64(key(of: UInt64(row))), to: &text)
            append(bits % 61, to: &text)
            text += bits & 64 == 0 ? Array("true,".utf8) : Array("false,".utf8)
            text += [UInt8(65 + bits % 5), UInt8(65 + bits / 5 % 5), UInt8(65 + bits / 25 % 7), 0x2C]
            if bits & 1 == 0 { append(date: 1_700_000_000 + bits % 95_000_000, to: &text) }
            text.append(0x2C)
            append(bits >> 7 & 3, to: &text)
            text += Array(plans[Int(bits >> 9 & 3)].utf8) + [0x2C]
            append(date: 1_600_000_000 + bits / 7 % 195_000_000, to: &text)
            text.append(0x2C)
            append(bits / 3 % 100_000, to: &text)
            text[text.count - 1] = 0x0A
            if text.count > 1 << 20 {
                try output.append(text.span)
                text.removeAll(keepingCapacity: true)
            }
        }
        try output.append(text.span)
        try output.commit()
    }

    /// Appends a number and a comma.
    private static func append(_ number: Int64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            text.append(UInt8(0x30 + rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
        text.append(0x2C)
    }

    /// Appends a time in RFC 3339, from seconds since 1970.
    private static func append(date seconds: Int64, to text: inout [UInt8]) {
        let time = CivilTime(milliseconds: seconds * 1000)
        let parts: [(Int64, Int, UInt8)] = [
            (time.year, 4, 0x2D), (time.month, 2, 0x2D), (time.day, 2, 0x54), (time.hour, 2, 0x3A),
            (time.minute, 2, 0x3A), (time.second, 2, 0x5A),
        ]
        for (number, digits, end) in parts {
            for place in (0..<digits).reversed() {
                var divisor: Int64 = 1
                for _ in 0..<place { divisor *= 10 }
                text.append(UInt8(0x30 + number / divisor % 10))
            }
            text.append(end)
        }
    }
}
