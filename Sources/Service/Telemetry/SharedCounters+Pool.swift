internal import System

/// Values about the whole pool that are not counters: gauges and the result of the last load.
extension SharedCounters {
    /// Returns the value of a gauge: for most gauges the highest value so far.
    public func highest(_ gauge: Gauge) -> UInt64 { memory.load(layout.word(of: gauge)) }

    /// Raises the gauge to `value` when `value` is higher than the gauge.
    public func raise(_ gauge: Gauge, to value: UInt64) {
        let word = layout.word(of: gauge)
        while true {
            let known = memory.load(word)
            guard value > known, !memory.exchange(known, for: value, at: word) else { return }
        }
    }

    public func set(_ gauge: Gauge, to value: UInt64) {
        memory.store(value, at: layout.word(of: gauge))
    }

    /// Sets the gauge to `now` when its last claim was at least `distance` before `now`, or when `now` is before that
    /// claim. Returns true when this call set it. When several processes ask at the same time, only one gets true.
    public func claim(_ gauge: Gauge, at now: UInt64, apart distance: UInt64) -> Bool {
        let word = layout.word(of: gauge)
        let last = memory.load(word)
        guard last == 0 || now < last || now - last >= distance else { return false }
        return memory.exchange(last, for: max(now, 1), at: word)
    }

    /// Stores the result of the last load. Only the supervisor calls this.
    ///
    /// Readers must not see half of a result: an odd number in the first word tells them that the supervisor is writing
    /// it.
    public func setLastReload(_ reload: LastReload) {
        let start = layout.lastReload
        let version = memory.load(start)
        memory.store(version | 1, at: start)
        memory.store(UInt64(bitPattern: reload.endedMilliseconds), at: start + 1)
        for (index, word) in Self.words(of: reload.refusalCode ?? "").enumerated() {
            memory.store(word, at: start + 2 + index)
        }
        memory.store((version | 1) &+ 1, at: start)
    }

    /// The result of the last load. Nil before the first load has ended, and nil while the supervisor is writing a
    /// result.
    public var lastReload: LastReload? {
        let start = layout.lastReload
        for _ in 0..<100 {
            let version = memory.load(start)
            guard version > 0 else { return nil }
            let ended = Int64(bitPattern: memory.load(start + 1))
            let code = Self.text(of: (0..<CounterLayout.codeWords).map { memory.load(start + 2 + $0) })
            guard version & 1 == 0, memory.load(start) == version else { continue }
            return LastReload(endedMilliseconds: ended, refusalCode: code.isEmpty ? nil : code)
        }
        return nil
    }

    private static func words(of text: String) -> [UInt64] {
        let bytes = Array(text.utf8.prefix(CounterLayout.codeWords * 8))
        return (0..<CounterLayout.codeWords).map { word in
            bytes.dropFirst(word * 8).prefix(8).enumerated().reduce(0) { sum, byte in
                sum | UInt64(byte.element) << UInt64(byte.offset * 8)
            }
        }
    }

    private static func text(of words: [UInt64]) -> String {
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The result of the last load, which the supervisor shares with every worker.
public struct LastReload: Sendable, Hashable {
    /// The time at which the load ended, in milliseconds since 1970.
    public let endedMilliseconds: Int64
    /// The code of the refusal; nil when the generation was loaded.
    public let refusalCode: String?

    /// Makes a result; `refusalCode` is nil when the generation was loaded.
    public init(endedMilliseconds: Int64, refusalCode: String?) {
        self.endedMilliseconds = endedMilliseconds
        self.refusalCode = refusalCode
    }
}
