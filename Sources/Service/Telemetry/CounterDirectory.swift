internal import System

/// The names of the counters in shared memory, each with the place of its words. A newer program, whose counters have
/// other places, finds the counts of an older one by these names.
///
/// The memory has a first word that says that a directory follows, the number of bytes of the text, and the text: a
/// line for each name, with the index of the first word and the number of words.
struct CounterDirectory: Equatable {
    /// The words that one name stands for.
    struct Place: Equatable {
        let first: Int
        let count: Int
    }

    /// The words of a directory in shared memory.
    static let wordCount = 2 + byteCountLimit / 8
    private static let byteCountLimit = 32_768
    /// The first word of a directory.
    static let mark: UInt64 = 0x7265_7465_6E74_6469

    private(set) var places: [String: Place] = [:]

    /// The directory of a layout.
    init(_ layout: CounterLayout) {
        for counter in Counter.allCases { add("counter \(counter.rawValue)", layout.word(of: counter)) }
        for (index, code) in layout.codes.enumerated() { add("code \(code)", layout.firstCode + index) }
        add(Self.otherCodes, layout.otherCodes)
        // Counts of buckets with other edges mean something else.
        let edges = LatencyHistogram.edgesMicroseconds.map { "\($0)" }.joined(separator: "-")
        for phase in [nil] + RequestPhase.allCases.map(Optional.some) {
            let first = layout.histogram(of: phase)
            add("histogram \(phase?.rawValue ?? "request") \(edges)", first, CounterLayout.histogramWords)
        }
        for lost in LostWorker.allCases { add("lost \(lost.rawValue)", layout.word(of: lost)) }
        for gauge in Gauge.allCases { add("gauge \(gauge.rawValue)", layout.word(of: gauge)) }
        add(Self.lastReload, layout.lastReload, 2 + CounterLayout.codeWords)
        add(Self.decisions, layout.decisions, TelemetryLimits.decisionRows * DecisionRow.wordCount)
    }

    /// Reads the directory of a program's counters. Nothing in the memory is trusted: another program may have written
    /// anything there. Places that are not in the memory are left out.
    init(_ memory: borrowing SharedCounterMemory) {
        let start = memory.load(CounterLayout(codes: []).directoryWord)
        guard start < memory.count - 2, memory.load(Int(start)) == Self.mark else { return }
        let byteCount = memory.load(Int(start) + 1)
        let first = Int(start) + 2
        guard byteCount <= Self.byteCountLimit, Int(byteCount + 7) / 8 <= memory.count - first else { return }
        let bytes = (0..<Int(byteCount)).map { index in
            UInt8(truncatingIfNeeded: memory.load(first + index / 8) >> UInt64(index % 8 * 8))
        }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 3, let first = Int(fields[1]), let count = Int(fields[2]), first >= 0,
                count > 0,
                first < memory.count, count <= memory.count - first
            else { continue }
            places[String(fields[0])] = Place(first: first, count: count)
        }
    }

    /// The name of the count of codes that have no counter of their own.
    static let otherCodes = "other codes"
    static let lastReload = "last reload \(CounterLayout.codeWords)"
    /// The name of the rows that count decisions. It has the form of a row, because rows of another form cannot be
    /// read.
    static let decisions = "decisions \(DecisionRow.textByteCount) \(DecisionRow.reasonCount)"

    /// True for the name of counts that only grow.
    static func isCount(_ name: String) -> Bool {
        ["counter ", "code ", "histogram ", "lost "].contains { name.hasPrefix($0) } || name == otherCodes
    }

    /// True for the name of a count of a code.
    static func isCode(_ name: String) -> Bool { name.hasPrefix("code ") }

    private mutating func add(_ name: String, _ first: Int, _ count: Int = 1) {
        places[name] = Place(first: first, count: count)
    }

    /// Writes the directory of a layout into new counters.
    static func write(_ layout: CounterLayout, to memory: borrowing SharedCounterMemory) {
        var text = ""
        for (name, place) in CounterDirectory(layout).places.sorted(by: { $0.value.first < $1.value.first }) {
            text += "\(name)\t\(place.first)\t\(place.count)\n"
        }
        let bytes = Array(text.utf8)
        precondition(bytes.count <= byteCountLimit, "room for all names")
        memory.store(mark, at: layout.directory)
        memory.store(UInt64(bytes.count), at: layout.directory + 1)
        for (index, byte) in bytes.enumerated() {
            memory.add(UInt64(byte) << UInt64(index % 8 * 8), to: layout.directory + 2 + index / 8)
        }
        memory.store(UInt64(layout.directory), at: layout.directoryWord)
    }
}
