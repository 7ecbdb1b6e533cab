internal import ArgumentParser
internal import DataFiles
internal import JSON

/// Counts the values in a facts file.
struct FactsStats: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract:
            "Counts the contents of a facts file: values, missing values, ranges and the most frequent texts.",
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

struct FactsColumnCount {
    let column: FactColumn
    let presentCount: Int
    let missingCount: Int
    /// The least and the greatest number or date, else null; and, for strings and booleans, the most frequent values
    /// with their counts.
    let least: JSONNode
    let greatest: JSONNode
    let frequent: [(value: String, count: Int)]
    let differentCount: Int?

    init(_ index: Int, of file: FactsFile, top: Int) {
        column = file.columns[index]
        var present = 0
        var least: Int64 = .max
        var greatest: Int64 = .min
        // The file already numbers its strings; false and true get the numbers 0 and 1.
        var counts = [UInt32](repeating: 0, count: column.kind == .string ? file.stringCount : 2)
        for row in file.rows where file.isPresent(column: index, row: row) {
            present += 1
            switch column.kind {
            case .string:
                if let number = file.stringNumber(column: index, row: row) { counts[number] += 1 }
            case .boolean: counts[file.boolean(column: index, row: row) == true ? 1 : 0] += 1
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
        let isString = column.kind == .string
        frequent = Self.greatest(top, of: counts).map { number in
            let word = isString ? file.string(numbered: number) ?? "" : String(number == 1)
            return (value: word, count: Int(counts[number]))
        }
        differentCount = isString ? counts.count { $0 > 0 } : nil
    }

    /// Returns the numbers with the greatest counts, greatest count first, and the lower number first when counts are
    /// equal. At most 1000 are asked for, so each number is inserted at its place among those before.
    private static func greatest(_ top: Int, of counts: [UInt32]) -> [Int] {
        var best: [Int] = []
        for number in counts.indices where counts[number] > 0 {
            if best.count == top {
                guard let last = best.last, counts[number] > counts[last] else { continue }
                best.removeLast()
            }
            let place = best.firstIndex { counts[$0] < counts[number] } ?? best.endIndex
            best.insert(number, at: place)
        }
        return best
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
