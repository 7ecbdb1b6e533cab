internal import Cryptography
internal import DataFiles
internal import JSON
internal import System
internal import Vocabulary

/// The lines about the experiments of a rules file. The decision log gets them at each load, so that the log explains
/// itself when the file is long gone. The loader makes the lines, because the supervisor writes them and knows nothing
/// of a data file's contents.
enum ExperimentMarks {
    /// Returns the lines of one file, each with its line feed and none longer than a line of the log. An experiment
    /// that does not fit goes on the next line, and so do arms that do not fit. The last line says how many entries
    /// were left out. That happens only beyond ``LoaderLimits/markByteCount``, or with names that are longer than a
    /// line.
    static func lines(of file: RulesFile) -> [[UInt8]] {
        var page = Page(file: file)
        file.forEachExperiment { experiment in
            for node in nodes(of: experiment) { page.add(node) }
        }
        return page.end()
    }

    /// Returns the entry of an experiment, or several entries when the experiment has many arms.
    private static func nodes(of experiment: RulesExperiment) -> [[UInt8]] {
        // A file with a date that no calendar has would have failed its check.
        let until = experiment.until.flatMap { DataFileLimits.dateRange.contains($0) ? $0 : nil }
        func node(_ kind: String, _ member: (String, JSONNode)) -> [UInt8] {
            JSONNode.object([
                ("kind", .string(kind)), ("rule", experiment.rule.map { .string($0) } ?? .null),
                ("salt", .string(experiment.salt)), ("unit", .string(experiment.unit)), member,
                ("until", until.map { .string(CivilTime(milliseconds: $0).exactDescription) } ?? .null),
            ]).serialized()
        }
        func shares(_ basisPoints: Int) -> (String, JSONNode) {
            let share: [(String, JSONNode)] = [
                ("from", .null), ("basisPoints", .integer(Int64(basisPoints))),
            ]
            return ("shares", .array([.object(share)]))
        }
        switch experiment.division {
        case .holdout(let basisPoints): return [node("holdout", shares(basisPoints))]
        case .rollout(let basisPoints): return [node("rollout", shares(basisPoints))]
        case .variants(let arms):
            return stride(from: 0, to: arms.count, by: armsPerEntry).map { first in
                let part = arms[first..<min(first + armsPerEntry, arms.count)].map { arm in
                    JSONNode.object([
                        ("name", .string(arm.name)), ("weight", .integer(Int64(arm.weight))),
                    ])
                }
                return node("variants", ("arms", .array(part)))
            }
        }
    }

    /// The number of arms in one entry. This many fit a line even with names of 128 bytes and a salt of 1,024 bytes,
    /// the longest that the compiler takes.
    private static let armsPerEntry = 8

    /// The lines of one file while they are made.
    private struct Page {
        private let head: [UInt8]
        private var lines: [[UInt8]] = []
        private var entries: [UInt8] = []
        private var byteCount = 0
        private var leftOutCount = 0

        init(file: RulesFile) {
            let header = file.header
            // A revision is a version or a date. Of a longer text only the beginning is written.
            let revision = file.revision.map { JSONNode.string(String($0.prefix(128))) } ?? .null
            let members = JSONNode.object([
                ("mark", .string("rules")), ("app", .integer(header.appAppleId)),
                ("environment", .string(header.environment.rawValue)),
                ("generation", .integer(header.generation)), ("digest", .string(header.digest.hexadecimal)),
                ("revision", revision),
            ])
            head = members.serialized().dropLast() + Array(",\"experiments\":[".utf8)
        }

        mutating func add(_ entry: [UInt8]) {
            // The end of the line and the count of left-out entries need less than 64 bytes.
            let room = LineOutput.lineBytes - head.count - 64
            guard entry.count <= room, byteCount + entry.count <= LoaderLimits.markByteCount else {
                leftOutCount += 1
                return
            }
            if entries.count + 1 + entry.count > room { lines.append(line()) }
            if !entries.isEmpty { entries.append(UInt8(ascii: ",")) }
            entries += entry
            byteCount += entry.count
        }

        /// Returns all lines, at least one. A single line may say that there is no experiment.
        mutating func end() -> [[UInt8]] {
            lines + [line(more: leftOutCount > 0 ? ",\"leftOut\":\(leftOutCount)" : "")]
        }

        private mutating func line(more: String = "") -> [UInt8] {
            defer { entries = [] }
            return head + entries + Array("]\(more)}\n".utf8)
        }
    }
}
