internal import JSON
internal import System

/// A rules file that the decision logs name.
package struct LoggedRules: Sendable, Hashable {
    /// SHA-256 of the file, 64 hexadecimal digits.
    package let digest: String
    /// In the order of kind, rule and salt. Empty also when the logs have no line about the file.
    package let experiments: [LoggedExperiment]
}

/// A random draw of a rules file, as the line about the file in a decision log says.
package struct LoggedExperiment: Sendable, Hashable {
    package struct Arm: Sendable, Hashable {
        package let name: String
        package let weight: Int
    }

    package enum Division: Sendable, Hashable {
        case holdout(basisPoints: Int)
        case rollout(basisPoints: Int)
        /// In the order of the rules file.
        case arms([Arm])
    }

    package let division: Division
    /// Nil for the holdout.
    package let rule: String?
    package let salt: String
    /// The fact that is hashed, such as `originalTransactionId`.
    package let unit: String
    /// The end, milliseconds since 1970-01-01 UTC; nil: none.
    package let until: Int64?
}

extension LoggedExperiment {
    /// Reads the entries of `experiments`. One with many arms stands in several; the others begin at `firstArm`.
    static func all(_ entries: [JSONValue]) -> [LoggedExperiment] {
        var found: [LoggedExperiment] = []
        var arms: [[String]: [(first: Int64, arms: [Arm])]] = [:]
        for entry in entries {
            guard let experiment = LoggedExperiment(entry) else { continue }
            guard case .arms(let some) = experiment.division else {
                found.append(experiment)
                continue
            }
            let key = [experiment.rule ?? "", experiment.salt]
            if arms[key] == nil { found.append(experiment) }
            arms[key, default: []].append((entry.member("firstArm")?.int64 ?? 0, some))
        }
        return found.map { experiment in
            guard case .arms = experiment.division,
                let parts = arms[[experiment.rule ?? "", experiment.salt]], parts.count > 1
            else { return experiment }
            let all = parts.sorted { $0.first < $1.first }.flatMap(\.arms)
            return LoggedExperiment(
                division: .arms(all), rule: experiment.rule, salt: experiment.salt, unit: experiment.unit,
                until: experiment.until)
        }
    }

    private init?(_ entry: JSONValue) {
        guard let salt = entry.member("salt")?.string, let unit = entry.member("unit")?.string else {
            return nil
        }
        let share = entry.member("shares")?.element(at: 0)?.member("basisPoints")?.int64
            .flatMap { (0...10_000).contains($0) ? $0 : nil }
        switch (entry.member("kind")?.string, share) {
        case ("holdout", let share?): division = .holdout(basisPoints: Int(clamping: share))
        case ("rollout", let share?): division = .rollout(basisPoints: Int(clamping: share))
        case ("variants", _):
            division = .arms(
                (entry.member("arms")?.elements ?? []).compactMap { arm in
                    guard let name = arm.member("name")?.string, let weight = arm.member("weight")?.int64,
                        (0...10_000).contains(weight)
                    else { return nil }
                    return Arm(name: name, weight: Int(clamping: weight))
                })
        default: return nil
        }
        (rule, self.salt, self.unit) = (entry.member("rule")?.string, salt, unit)
        until = entry.member("until")?.string.flatMap { CivilTime($0)?.milliseconds }
    }
}

/// A worker of the service, as far as the decision logs show it.
package struct DecisionInstance: Sendable, Hashable {
    package let name: String
    /// Fingerprint of the key of its pseudonyms; nil when the line about its rules was not read.
    package var identifierKey: String?
    /// The rules files that it served, of every app and environment.
    package var digests: Set<String> = []
    /// The numbers of its records that were read.
    package var seen = SequenceRanges()
    /// The number of its last record, when the worker has said so.
    package var lastSequence: Int64?
    // Milliseconds since 1970-01-01 UTC.
    package var firstAt: Int64?
    package var lastAt: Int64?

    package init(name: String) { self.name = name }

    /// The records that were read, each once however often its line was.
    package var presentCount: Int { seen.count }
    /// The records that gaps show as lost. Of a worker without a last line, what it wrote behind the last record is not known.
    package var missingCount: Int { Int(max(lastSequence ?? 0, seen.last ?? 0)) - presentCount }

    package mutating func include(time: Int64) {
        firstAt = min(firstAt ?? time, time)
        lastAt = max(lastAt ?? time, time)
    }

    mutating func formUnion(_ other: DecisionInstance) {
        identifierKey = [identifierKey, other.identifierKey].compactMap { $0 }.min()
        digests.formUnion(other.digests)
        seen.formUnion(other.seen)
        lastSequence = [lastSequence, other.lastSequence].compactMap { $0 }.max()
        for time in [other.firstAt, other.lastAt].compactMap({ $0 }) { include(time: time) }
    }
}

/// A set of numbers from 1 on, most of which follow one another.
package struct SequenceRanges: Sendable, Hashable {
    private var ranges: [ClosedRange<Int64>] = []

    package init() {}

    package var count: Int { ranges.reduce(0) { $0 + $1.count } }
    package var last: Int64? { ranges.last?.upperBound }

    package mutating func insert(_ number: Int64) {
        if let last = ranges.last, last.upperBound == number - 1 {
            ranges[ranges.count - 1] = last.lowerBound...number
        } else {
            insert(number...number)
        }
    }

    package mutating func formUnion(_ other: SequenceRanges) {
        for range in other.ranges { insert(range) }
    }

    private mutating func insert(_ range: ClosedRange<Int64>) {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < range.lowerBound - 1 { low = middle + 1 } else { high = middle }
        }
        var (end, merged) = (low, range)
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound + 1 {
            merged =
                min(
                    merged.lowerBound, ranges[end].lowerBound)...max(
                    merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(low..<end, with: [merged])
    }

    /// `1-4000 4002`
    var text: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: " ")
    }

    init?(text: String) {
        for word in text.split(separator: " ") {
            let ends = word.split(separator: "-").compactMap { Int64($0) }
            guard (1...2).contains(ends.count), ends[0] > 0, ends[0] <= ends[ends.count - 1] else {
                return nil
            }
            insert(ends[0]...ends[ends.count - 1])
        }
    }
}
