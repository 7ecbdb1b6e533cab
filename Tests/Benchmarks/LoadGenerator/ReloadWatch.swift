internal import HTTPLoad
internal import Synchronization
internal import System

/// Sends the HUPs, judges the answers, and distinguishes answers of the generation before the first HUP from later ones.
final class ReloadWatch: Sendable {
    private struct State {
        var hangups = 0
        /// When the first HUP was sent.
        var hangupTime: UInt64?
        /// When the last answer of the old generation and the first answer of the new generation arrived.
        var lastOld: UInt64?
        var firstNew: UInt64?
        /// Latencies from the first HUP until all answers come from the new generation.
        var during = LoadHistogram()
        /// Latencies since the last answer that certainly belongs to ``during``.
        var pending: [UInt64] = []
    }

    private let state = Mutex(State())
    private let old: [UInt8]?
    private let answer: Options.Answer
    /// Text that every decision contains. A server that sends 200 without a decision would look fast.
    private static let decision = Array(#"":{"messageIdentifier":""#.utf8)

    init(_ options: Options) {
        old = options.old.map { Array($0.utf8) }
        answer = options.answer
    }

    func sendHangup(to process: Int32) {
        state.withLock { state in
            if state.hangupTime == nil { state.hangupTime = Clock.monotonicNanoseconds() }
            state.hangups += 1
        }
        try? Processes.send(.hangup, to: process)
    }

    /// True for an answer with status 200 and the wanted body.
    func judge(_ arrival: LoadArrival, _ body: RawSpan) -> Bool {
        guard arrival.status == 200 else { return false }
        switch answer {
        case .decision: guard Self.holds(body, Self.decision) else { return false }
        case .empty: return body.byteCount == 0
        }
        if let old { note(arrival, isOld: Self.holds(body, old)) }
        return true
    }

    private func note(_ arrival: LoadArrival, isOld: Bool) {
        state.withLock { state in
            guard state.hangupTime != nil else { return }
            state.pending.append(arrival.latencyNanoseconds)
            if isOld {
                state.lastOld = arrival.time
            } else if state.firstNew == nil {
                state.firstNew = arrival.time
            } else {
                // This answer belongs to the reload only if an answer of the old generation follows.
                return
            }
            for latency in state.pending { state.during.record(nanoseconds: latency) }
            state.pending.removeAll(keepingCapacity: true)
        }
    }

    private static func holds(_ body: RawSpan, _ text: [UInt8]) -> Bool {
        guard body.byteCount >= text.count else { return false }
        for start in 0...body.byteCount - text.count where body.uint8(at: start) == text.first {
            var length = 1
            while length < text.count, body.uint8(at: start + length) == text[length] { length += 1 }
            if length == text.count { return true }
        }
        return false
    }

    // MARK: - Figures

    var hangups: Int { state.withLock { $0.hangups } }
    /// Microseconds from the first HUP to the last old and to the first new answer; -1 when there was no such answer.
    var lastOld: Double { state.withLock { Self.microseconds($0.hangupTime, $0.lastOld) } }
    var firstNew: Double { state.withLock { Self.microseconds($0.hangupTime, $0.firstNew) } }
    /// The 99th percentile of the latencies during the reload, in microseconds.
    var reloadP99: Double { state.withLock { Double($0.during.nanoseconds(at: 0.99)) / 1000 } }

    private static func microseconds(_ hangup: UInt64?, _ time: UInt64?) -> Double {
        guard let hangup, let time, time >= hangup else { return -1 }
        return Double(time - hangup) / 1000
    }
}
