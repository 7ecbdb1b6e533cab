internal import ArgumentParser
internal import DataFiles
internal import JSON

/// Counts what a facts file holds.
struct FactsStats: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Counts what a facts file holds: values, missing values, ranges, the most frequent texts.",
        discussion: """
            Reads every row once.

            Example:
              retentionctl facts stats com.example.app.facts
            """
    )

    @Argument(help: "The facts file.", completion: .file(extensions: ["facts"]))
    var file: String

    @Option(help: ArgumentHelp("How many of the most frequent texts to print.", valueName: "number"))
    var top = 5

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...1000).contains(top) else { throw ValidationError("--top must be from 0 to 1000.") }
    }

    func run() throws {
        let opened = try CompiledFacts.open(file, check: .full)
        let columns = opened.columns.indices.map { FactsColumnCount($0, of: opened, top: top) }
        guard !output.json else {
            let members = CompiledFacts.json(of: opened, path: file).filter { $0.0 != "facts" }
            Console.print(pretty: .object(members + [("facts", .array(columns.map(\.node)))]))
            return
        }
        let header = opened.header
        let perRow = opened.rowCount > 0 ? header.fileByteCount * 10 / opened.rowCount : 0
        Console.print(
            "\(file): \(opened.rowCount) rows, \(header.fileByteCount) bytes, \(perRow / 10).\(perRow % 10) a row"
        )
        for column in columns { Console.print("  \(column.text)") }
    }
}

/// What stands in one column.
struct FactsColumnCount {
    let column: FactColumn
    let presentCount: Int
    let missingCount: Int
    /// Words for least, greatest and, for texts and truth values, how often each of the most frequent ones stands.
    let least: JSONNode
    let greatest: JSONNode
    let frequent: [(value: String, count: Int)]
    let differentCount: Int?

    init(_ index: Int, of file: FactsFile, top: Int) {
        column = file.columns[index]
        var present = 0
        var least: Int64 = .max
        var greatest: Int64 = .min
        var counts: [String: Int] = [:]
        for row in file.rows where file.isPresent(column: index, row: row) {
            present += 1
            switch column.kind {
            case .string: counts[file.string(column: index, row: row) ?? "", default: 0] += 1
            case .boolean: counts[String(file.boolean(column: index, row: row) ?? false), default: 0] += 1
            case .date, .integer:
                let value =
                    file.integer(column: index, row: row) ?? file.date(column: index, row: row) ?? 0
                least = min(least, value)
                greatest = max(greatest, value)
            }
        }
        presentCount = present
        missingCount = file.rowCount - present
        switch column.kind {
        case .date where present > 0:
            (self.least, self.greatest) = (.string(FactText.date(least)), .string(FactText.date(greatest)))
        case .integer where present > 0: (self.least, self.greatest) = (.integer(least), .integer(greatest))
        default: (self.least, self.greatest) = (.null, .null)
        }
        frequent = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(top)
            .map { (value: $0.key, count: $0.value) }
        differentCount = column.kind == .string ? counts.count : nil
    }

    var text: String {
        var parts = ["\(column.name) \(column.kind.name): \(presentCount) values, \(missingCount) missing"]
        if case .null = least {
        } else {
            parts.append("from \(Self.word(least)) to \(Self.word(greatest))")
        }
        if let differentCount { parts.append("\(differentCount) different") }
        if !frequent.isEmpty {
            parts.append(frequent.map { "\($0.value) \($0.count)" }.joined(separator: ", "))
        }
        return parts.joined(separator: "; ")
    }

    var node: JSONNode {
        var members: [(String, JSONNode)] = [
            ("name", .string(column.name)), ("kind", .string(column.kind.name)),
            ("bits", .integer(Int64(column.bitCount))), ("values", .integer(Int64(presentCount))),
            ("missing", .integer(Int64(missingCount))),
        ]
        switch column.kind {
        case .date, .integer: members += [("least", least), ("greatest", greatest)]
        case .string, .boolean:
            if let differentCount { members.append(("different", .integer(Int64(differentCount)))) }
            members.append(
                (
                    "frequent",
                    .array(
                        frequent.map {
                            .object([("value", .string($0.value)), ("rows", .integer(Int64($0.count)))])
                        }
                    )
                )
            )
        }
        return .object(members)
    }

    private static func word(_ node: JSONNode) -> String {
        String(decoding: node.serialized().filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
