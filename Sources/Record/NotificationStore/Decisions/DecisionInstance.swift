/// A worker of the service, as far as the decision logs show it.
package struct DecisionInstance: Sendable, Hashable {
    package let name: String
    /// Fingerprint of the key of its pseudonyms; nil when the line about its rules was not read.
    package var identifierKey: String?
    /// The rules files that it served, of every app and environment.
    package var digests: Set<String> = []
    /// The numbers of its records that were read.
    package var seen = RangeSet<Int64>()
    /// The number of its last record, when the worker has said so.
    package var lastSequence: Int64?
    // Milliseconds since 1970-01-01 UTC.
    package var firstAt: Int64?
    package var lastAt: Int64?

    package init(name: String) { self.name = name }

    /// The records that were read, each once however often its line was.
    package var presentCount: Int { seen.ranges.reduce(0) { $0 + $1.count } }
    /// The records that gaps show as lost. Of a worker without a last line, what it wrote behind the last record is not known.
    package var missingCount: Int {
        let last = seen.ranges.last.map { $0.upperBound - 1 }
        return Int(max(lastSequence ?? 0, last ?? 0)) - presentCount
    }

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

extension RangeSet<Int64> {
    package mutating func insert(_ number: Int64) { insert(contentsOf: number..<number + 1) }

    /// `1-4000 4002`
    var text: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound - 1)" }
            .joined(separator: " ")
    }

    init?(text: String) {
        self.init()
        for word in text.split(separator: " ") {
            let ends = word.split(separator: "-").compactMap { Int64($0) }
            guard let first = ends.first, let last = ends.last, 0 < first, first <= last, last < .max else {
                return nil
            }
            insert(contentsOf: first..<last + 1)
        }
    }
}
