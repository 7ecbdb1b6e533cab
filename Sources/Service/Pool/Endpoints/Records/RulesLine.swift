internal import Cryptography
internal import Facts
internal import JSON
internal import Rules
internal import System

/// The line of the decision log about a rules file, which a worker writes when it begins to serve the file: what a reader of records
/// must know of the experiments, also when the file is long gone.
enum RulesLine {
    /// - Returns: the line. Experiments that do not fit a line of the log follow in further lines of the same form.
    static func lines(of file: RulesFile, identifierKey: String, instance: String, nowMilliseconds now: Int64)
        -> [String]
    {
        func line(_ experiments: [JSONNode]) -> [UInt8] {
            JSONNode.object([
                ("rules", .string(file.digest.hexadecimal)), ("app", .integer(file.appAppleId)),
                ("environment", .string(file.environment.rawValue)),
                ("revision", file.revision.map { .string($0) } ?? .null),
                ("time", .string(CivilTime(milliseconds: now).exactDescription)),
                ("instance", .string(instance)), ("identifierKey", .string(identifierKey)),
                ("experiments", .array(experiments)),
            ]).serialized()
        }
        let room = LineOutput.lineBytes - line([]).count - 1
        var groups: [[JSONNode]] = [[]]
        var byteCount = 0
        file.forEachExperiment { experiment in
            for node in nodes(experiment) {
                let count = node.serialized().count + 1
                if byteCount + count > room, byteCount > 0 {
                    groups.append([])
                    byteCount = 0
                }
                groups[groups.count - 1].append(node)
                byteCount += count
            }
        }
        return groups.map { String(decoding: line($0), as: UTF8.self) + "\n" }
    }

    /// The number of arms in one entry. So many fit a line even with the longest names and salts that the compiler takes.
    private static let armCountLimit = 8

    /// Returns the entry of an experiment, or several entries when it has many arms.
    private static func nodes(_ experiment: RulesExperiment) -> [JSONNode] {
        // A file with a date that no calendar has would have failed its check.
        let until = experiment.until.flatMap { DataFileLimits.dateRange.contains($0) ? $0 : nil }
        func node(_ kind: String, _ division: (String, JSONNode)) -> JSONNode {
            .object([
                ("kind", .string(kind)), ("rule", experiment.rule.map { .string($0) } ?? .null),
                ("salt", .string(experiment.salt)), ("unit", .string(experiment.unit)), division,
                ("until", until.map { .string(CivilTime(milliseconds: $0).exactDescription) } ?? .null),
            ])
        }
        switch experiment.division {
        case .holdout(let basisPoints): return [node("holdout", shares(basisPoints))]
        case .rollout(let basisPoints): return [node("rollout", shares(basisPoints))]
        case .variants(let arms):
            return stride(from: 0, to: arms.count, by: armCountLimit).map { first in
                let some = arms[first..<min(first + armCountLimit, arms.count)]
                return node("variants", ("arms", .array(some.map(Self.arm))))
            }
        }
    }

    private static func arm(_ arm: (name: String, weight: Int)) -> JSONNode {
        .object([("name", .string(arm.name)), ("weight", .integer(Int64(arm.weight)))])
    }

    private static func shares(_ basisPoints: Int) -> (String, JSONNode) {
        ("shares", .array([.object([("from", .null), ("basisPoints", .integer(Int64(basisPoints)))])]))
    }
}
