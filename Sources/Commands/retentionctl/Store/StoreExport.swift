internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import System
internal import Vocabulary

/// Writes everything that a store has as lines of JSON.
struct StoreExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes everything that the store has as lines of JSON.",
        discussion: """
            `store import` takes the lines over, also into the other database system. A line has a JWS as Apple signed it \
            and when and how it came, or something that belongs to the store as a whole: tombstones, the ranges that \
            `notifications recover` has finished, and the places up to which other work has come. Others can write \
            meanwhile; what they write may be in the export or not.

            The lines have identifiers of subscribers. A subscriber who is erased later stays in the file. A row that is \
            damaged is left out and reported, the lines then promise no ranges and no whole histories, and the command ends \
            with 65.

            Example:
              retentionctl store export -o notifications.ndjson \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write; standard output if absent.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @OptionGroup var selection: StoreSelection

    func run() throws {
        if let output { try OutputPaths.check(writing: [output], reading: try selection.inputs()) }
        var reading = StoreReading(try selection.open(.read))
        var count = 0
        if let output {
            var lines = try ExportFile(path: output)
            try reading.forEach { record in
                try lines.add(record.line, output)
                count += 1
            }
            try lines.finish(output)
        } else {
            try reading.forEach { Console.print(bytes: $0.line + [UInt8(ascii: "\n")]) }
        }
        guard reading.damaged.isEmpty else {
            let findings = reading.damaged.prefix(100).map { row in
                Finding(code: NotificationStoreError.incompleteRow.code, "\(row.kind.rawValue) \(row.id)")
            }
            throw ToolFailure(.badData, Array(findings))
        }
        if let output { Console.note("\(output): \(count) lines") }
    }
}

/// Writes lines to a file in large pieces.
private struct ExportFile: ~Copyable {
    private var writer: AtomicFileWriter
    private var waiting: [UInt8] = []

    init(path: String) throws(ToolFailure) {
        do throws(SystemCallError) { writer = try AtomicFileWriter(path: path, permissions: 0o600) } catch {
            throw ToolFailure(writing: path, error)
        }
    }

    mutating func add(_ line: [UInt8], _ path: String) throws(ToolFailure) {
        waiting += line
        waiting.append(UInt8(ascii: "\n"))
        guard waiting.count >= 1 << 20 else { return }
        let piece = waiting
        do throws(SystemCallError) { try writer.append(piece.span) } catch {
            throw ToolFailure(writing: path, error)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    consuming func finish(_ path: String) throws(ToolFailure) {
        let piece = waiting
        do throws(SystemCallError) {
            try writer.append(piece.span)
            try writer.commit()
        } catch { throw ToolFailure(writing: path, error) }
    }
}
