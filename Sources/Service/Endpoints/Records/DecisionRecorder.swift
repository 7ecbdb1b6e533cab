internal import Configuration
internal import DataFiles
internal import Decisions
public import Loader
internal import OfferSigning
internal import SignedPayloads
internal import System
public import Telemetry
internal import Vocabulary

/// Records the decisions of a worker. Belongs to one thread.
///
/// What a record needs is noted when the decision is made, in a ``SharedRing``: a worker whose decisions are recorded has no
/// more to do than that. A ``RecordCompanion``, a process of its own, makes and writes the records. So no answer waits for a
/// disk, and decisions that a worker has noted are still written when it is killed.
///
/// Without a companion, as in a single worker and for one CGI request, the records are made and written here, after the
/// answers have been sent. While answers follow each other quickly, those of several turns are written together, because a
/// call that writes a single record costs more than making the record. A record is kept back for about 50 milliseconds at
/// most, and not when the worker leaves.
public final class DecisionRecorder {
    /// The bytes of the memory in which decisions are noted: room for about 5,000 of them. Decisions for which there is no
    /// room, because the companion does not come to write, are dropped.
    public static let ringByteCount = 1 << 20
    /// The number of waiting records at which they are written at once.
    private static let waitingLimit = 200
    /// The number of waiting records at which a turn keeps none of them back. The room up to ``waitingLimit`` is for the
    /// answers of the next turn.
    private static let heldLimit = 160
    /// For how long turns keep back records, in nanoseconds.
    private static let holdNanoseconds: UInt64 = 50_000_000
    /// The time between two looks at a companion with work to do, in nanoseconds.
    private static let lookNanoseconds: UInt64 = 1_000_000_000
    /// Turns with answers follow each other quickly when their ends are not further apart, in milliseconds.
    private static let busyMilliseconds: UInt64 = 5

    private let counters: SharedCounters
    private var ring: SharedRing
    /// Makes and writes the records in this process; nil with a companion.
    private let writer: DecisionRecordWriter?
    private var companion: (any RecordCompanion)?
    private let startCompanion: RecordCompanionStart?
    /// When to look whether a companion with something to do still lives, in nanoseconds of the monotonic clock; nil when it has
    /// nothing to do.
    private var nextLook: UInt64?
    /// The bytes of the decision that is being noted.
    private var noted = TextBuffer()
    /// The number of decisions that were noted since the last ``flush()``.
    private var waitingCount = 0
    /// True when a decision was dropped because there was no room to note it.
    private var hasDropped = false
    /// What has happened to the companion since the last ``takeLoss()``.
    private var loss: CompanionLoss?
    /// True when the last attempt to start a companion has failed.
    private var startHasFailed = false
    /// True when the companion must open its files again and could not be told so.
    private var isReopenDue = false
    /// How many records earlier turns have kept back, and since when.
    private var heldCount = 0
    private var heldSince: UInt64 = 0
    /// The end of the last turn with answers.
    private var lastAnswers: UInt64?

    /// Creates a recorder for the decisions of a generation. Nil when the generation writes no decision records.
    ///
    /// - Parameters:
    ///   - generation: what the worker serves.
    ///   - counters: those that the processes of the pool share.
    ///   - startCompanion: starts the process that writes the records. Nil, and a companion that cannot be started, mean
    ///     that the records are written in this process.
    /// - Throws: `cryptography.openssl-failure`; the error of a system call when there is no memory to note decisions in.
    public init?(
        _ generation: Generation,
        _ counters: SharedCounters,
        startCompanion: RecordCompanionStart? = nil
    ) throws {
        guard generation.configuration.log.decisions != nil, generation.manifest.identifierKey != nil else {
            return nil
        }
        let ring = try SharedRing(byteCount: Self.ringByteCount, name: "retentiond-records")
        let companion = try? startCompanion?(ring)
        self.ring = ring
        self.counters = counters
        self.companion = companion
        self.startCompanion = companion == nil ? nil : startCompanion
        writer = companion == nil ? try DecisionRecordWriter(generation, counters) : nil
    }

    /// True when the records are written in this process.
    public var writesItself: Bool { writer != nil }

    /// False when the file of the records is not open. A companion reports that itself.
    public var isOpen: Bool { writer?.isOpen ?? true }

    /// Opens the file again, after it was given another name.
    ///
    /// - Throws: the error of the system call. The records then go on into the file that was open. A companion reports it itself.
    func reopen() throws(SystemCallError) {
        flush()
        tellCompanionToReopen()
        try writer?.reopen()
    }

    /// Has everything written that was noted. Call it when the worker has left.
    ///
    /// - Returns: false when the companion has not done so within `milliseconds`. It goes on all the same. Decisions that nobody will
    ///   write any more count as dropped.
    public func finish(within milliseconds: Int32) -> Bool {
        flush()
        if writer == nil, ring.waitingByteCount > 0 { replaceEndedCompanion() }
        guard companion?.finish(within: milliseconds) ?? true else { return false }
        // Only when no companion could be started, or when the last one was killed: nobody is left to write these.
        ring.takeWaiting { _ in
            counters.add(.decisionsDropped)
            hasDropped = true
        }
        return true
    }

    /// Returns what has happened to the companion since the last call, for the log. While none can be started, only the first
    /// failure counts.
    func takeLoss() -> CompanionLoss? {
        defer { loss = nil }
        return loss
    }

    /// Returns true when the log should report now that records are dropped: at the first dropped record, and once a
    /// minute while more are dropped.
    func shouldReportDrops() -> Bool {
        if let writer, writer.shouldReportDrops() { return true }
        guard hasDropped else { return false }
        hasDropped = false
        return DecisionLog.claimDropWarning(counters, atNanoseconds: Clock.monotonicNanoseconds())
    }

    /// Notes a decision. Its number is taken here, so that a record which is never written leaves a gap in the numbers.
    func note(
        _ decision: Decision,
        serving outcome: SignedOutcome?,
        to asked: RealtimeRequest,
        nowMilliseconds: Int64,
        timing: RequestTiming
    ) {
        noted.cut(to: 0)
        NotedDecision.append(
            decision,
            serving: outcome,
            to: asked,
            sequence: counters.takeSequence(),
            nowMilliseconds: nowMilliseconds,
            timing: timing,
            to: &noted
        )
        let isNoted = noted.withSpan { ring.append($0) }
        if !isNoted {
            counters.add(.decisionsDropped)
            hasDropped = true
        }
        waitingCount += 1
        if writer != nil, waitingCount >= Self.waitingLimit { flush() }
    }

    /// When the next turn must begin, in nanoseconds of the monotonic clock: to write records that are kept back, or to look
    /// after the companion. Nil when there is no need.
    var wakeNanoseconds: UInt64? { heldCount == 0 ? nextLook : heldSince &+ Self.holdNanoseconds }

    /// Wakes the companion at the end of a turn. Without one, writes the records or keeps them back: when the last turn before
    /// with answers has ended a moment ago, and the records are neither many nor old.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    func turnEnded(atNanoseconds now: UInt64) {
        guard writer != nil else { return lookAfterCompanion(atNanoseconds: now) }
        let count = waitingCount
        guard count > 0 else { return }
        if heldCount == 0 { heldSince = now }
        let isBusy = lastAnswers.map { now &- $0 <= Self.busyMilliseconds * 1_000_000 } ?? false
        if count > heldCount { lastAnswers = now }
        let isOld = now &- heldSince >= Self.holdNanoseconds
        if !isBusy || isOld || count >= Self.heldLimit { flush() } else { heldCount = count }
    }

    /// Writes the records that wait, or has the companion write them.
    func flush() {
        heldCount = 0
        waitingCount = 0
        writer?.write(from: &ring)
        if let companion, ring.mustWake() { companion.wake() }
    }

    /// Wakes a companion that waits. Once a second while there is work, starts another one in place of one that has ended.
    private func lookAfterCompanion(atNanoseconds now: UInt64) {
        if waitingCount > 0 || isReopenDue {
            flush()
            if nextLook == nil { nextLook = now &+ Self.lookNanoseconds }
        }
        guard let time = nextLook, now >= time else { return }
        nextLook = nil
        guard ring.waitingByteCount > 0 || isReopenDue else { return }
        nextLook = now &+ Self.lookNanoseconds
        replaceEndedCompanion()
        if isReopenDue { tellCompanionToReopen() }
        companion?.wake()
    }

    private func tellCompanionToReopen() { isReopenDue = companion.map { !$0.reopenLogs() } ?? false }

    /// Starts another companion in place of one that has ended.
    private func replaceEndedCompanion() {
        guard let startCompanion, companion?.hasEnded ?? true else { return }
        do throws(SystemCallError) {
            companion = try startCompanion(ring)
            isReopenDue = false
            startHasFailed = false
            loss = .replaced
        } catch {
            companion = nil
            if !startHasFailed { loss = .notReplaced(error) }
            startHasFailed = true
        }
    }
}
