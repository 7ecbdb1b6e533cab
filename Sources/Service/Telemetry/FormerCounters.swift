public import System
internal import Vocabulary

/// The counters of an older program whose list of counters differs from this program's. ``carry(to:)`` adds its counts
/// to the new counters. The number of the last decision record is needed as long as workers of the older program write
/// records. Belongs to one thread.
public final class FormerCounters {
    private let memory: SharedCounterMemory
    private static let layout = CounterLayout(codes: [])
    private let directory: CounterDirectory
    /// The values that have been carried, by the index of the word.
    private var carried: [Int: UInt64] = [:]
    /// The row of the new counters for each row of the older ones.
    private var rows: [Int: Int] = [:]
    private var isFirst = true

    /// Maps counters that another program made.
    ///
    /// - Throws: `telemetry.layout-mismatch` when the memory holds no counters, else the failed system call.
    public init(inheriting descriptor: consuming FileDescriptor) throws(TelemetryError) {
        memory = try SystemCallError.mapped(
            to: TelemetryError.init,
            giving: descriptor
        ) { descriptor throws(SystemCallError) in
            let count = try FileStatus(of: descriptor).byteCount / 8
            return try SharedCounterMemory(inheriting: descriptor, count: count)
        }
        guard memory.count > Self.layout.directoryWord else { throw .layoutMismatch }
        directory = CounterDirectory(memory)
    }

    /// The identifier of the older counters, see ``SharedCounters/instance``.
    public var instance: String { LogText.instance(memory.load(Self.layout.instanceWord)) }

    /// The number of the last decision record of the older counters, see ``SharedCounters/lastSequence``.
    public var lastSequence: UInt64 { memory.load(Self.layout.sequenceWord) }

    /// The time at which the pool was started, see ``SharedCounters/startedMilliseconds``.
    public var startedMilliseconds: Int64 { Int64(bitPattern: memory.load(Self.layout.startedWord)) }

    /// Adds to `counters` what the older counters have counted since the last call, at the first call all of it. Counts
    /// are found by their names. Codes that `counters` does not have are added to its count of other codes; other
    /// counts that `counters` does not have are lost. The first call also copies the gauges and the last load.
    public func carry(to counters: SharedCounters) {
        let known = CounterDirectory(counters.layout)
        for (name, place) in directory.places where CounterDirectory.isCount(name) {
            let other = CounterDirectory.isCode(name) ? known.places[CounterDirectory.otherCodes] : nil
            guard let target = known.places[name] ?? other, target.count == place.count else { continue }
            for offset in 0..<place.count {
                let difference = takeDifference(at: place.first + offset)
                if difference > 0 { counters.memory.add(difference, to: target.first + offset) }
            }
        }
        if let place = directory.places[CounterDirectory.decisions] {
            for row in 0..<place.count / DecisionRow.wordCount {
                carryRow(row, at: place.first + row * DecisionRow.wordCount, to: counters)
            }
        }
        guard isFirst else { return }
        isFirst = false
        for (name, target) in known.places
        where name.hasPrefix("gauge ") || name == CounterDirectory.lastReload {
            guard let place = directory.places[name], place.count == target.count else { continue }
            for offset in 0..<place.count {
                counters.memory.store(memory.load(place.first + offset), at: target.first + offset)
            }
        }
    }

    private func carryRow(_ row: Int, at start: Int, to counters: SharedCounters) {
        guard memory.load(start + DecisionRow.Word.isReady) == 1 else { return }
        let found =
            rows[row] ?? counters.claimDecisionRow(DecisionRow.key(at: start, in: memory))
            ?? counters.claimDecisionRow(.everythingElse)
        guard let found else { return }
        rows[row] = found
        for reason in 0..<DecisionRow.reasonCount {
            let difference = takeDifference(at: start + DecisionRow.Word.decisions + reason)
            if difference > 0 { counters.addDecision(row: found, reason: reason, difference) }
        }
        let passed = takeDifference(at: start + DecisionRow.Word.passedOver)
        if passed > 0 { counters.addPassedOver(row: found, passed) }
    }

    private func takeDifference(at word: Int) -> UInt64 {
        let value = memory.load(word)
        defer { carried[word] = value }
        return value &- (carried[word] ?? 0)
    }
}
