internal import Configuration
internal import Cryptography
internal import Facts
internal import JSON
package import Logging
internal import Reply
internal import Rules
internal import SignedPayloads
internal import Synchronization
internal import System

/// Records the decisions of a worker. Belongs to one thread.
///
/// First in the log stands a line about each rules file that the worker serves, last one with the number of the last record: so a
/// reader finds a gap in the numbers and a lost tail.
package final class DecisionRecorder {
    private let log: DecisionLog
    private let isForOneRequest: Bool
    /// The name of the worker in its records: 16 hexadecimal digits.
    let instance = HexadecimalDigits.text(of: UInt64.random(in: .min ... .max), count: 16)
    private var sequence: UInt64 = 0
    private var records: [DecisionRecord] = []

    /// Creates a recorder for the decisions of a generation. Nil when the generation writes no decision records. One for a single
    /// request (plain CGI) writes the record alone.
    package init?(
        _ generation: Generation, _ counters: SharedCounters, _ logger: Logger,
        forOneRequest isForOneRequest: Bool = false
    ) throws {
        guard let path = generation.configuration.log.decisions, let key = generation.identifierKey
        else { return nil }
        self.isForOneRequest = isForOneRequest
        let (fingerprint, now) = (try key.fingerprintText(), Clock.wallMilliseconds())
        let rules = isForOneRequest ? [] : generation.allRules
        log = try DecisionLog(
            path: path, instance: instance,
            firstLines: rules.flatMap { [instance] rules in
                RulesLine.lines(
                    of: rules, identifierKey: fingerprint, instance: instance, nowMilliseconds: now)
            }, key: key, counters: counters, logger: logger)
    }

    func reopen() { log.reopen() }

    package func finish(within milliseconds: Int32) -> Bool {
        flush()
        let end = isForOneRequest ? "" : "{\"end\":\"\(instance)\",\"sequence\":\(sequence)}\n"
        return log.finish(end, withinMilliseconds: milliseconds)
    }

    /// Makes the record of a decision. Its number is taken here, so that a record which is never written leaves a gap in the numbers.
    func record(
        _ decision: Decision, serving outcome: SignedOutcome?, to asked: RealtimeRequest, by rules: RulesFile,
        nowMilliseconds: Int64, timing: RequestTiming
    ) {
        sequence += 1
        records.append(
            DecisionRecord(
                decision: decision, served: outcome.map(DecisionRecord.Served.init), asked: asked,
                rules: rules, nowMilliseconds: nowMilliseconds, timing: timing, sequence: sequence)
        )
    }

    func flush() {
        if !records.isEmpty { log.add(&records) }
    }
}

/// The file to which a worker appends its decision records. Records wait in a list of bounded size. One thread makes their lines
/// and writes them, so no answer waits for a disk. A record for which the list has no room, or that cannot be written at once, is
/// dropped and counted in ``Counter/decisionsDropped``.
final class DecisionLog: Sendable {
    static let threadName = "retentiond-log"
    /// The records that wait, at most: about 3 MB.
    static let recordCountLimit = 4096
    /// How long the thread lets records gather: one write for many lines costs less than many writes.
    private static let gatherMilliseconds: Int32 = 20

    private struct Waiting: Sendable {
        var records: [DecisionRecord] = []
        /// The number of records that the thread is writing; 0 when they have been given up.
        var takenCount = 0
        var mustReopen = false
        /// The line behind all records; nil before the end.
        var lastLine: String?
    }

    private let path: String
    private let instance: String
    private let counters: SharedCounters
    private let logger: Logger
    private let waiting = Mutex(Waiting())
    private let isWanted: WakeUp
    private let hasEnded: WakeUp

    /// Starts the thread, which opens the file and makes it, with mode 0640, when it does not exist.
    init(
        path: String, instance: String, firstLines: [String], key: IdentifierKey, counters: SharedCounters,
        logger: Logger
    ) throws(SystemCallError) {
        self.path = path
        self.instance = instance
        self.counters = counters
        self.logger = logger
        isWanted = try WakeUp()
        hasEnded = try WakeUp()
        isWanted.announce()
        try ServiceThread.start { [self] in serve(firstLines, key) }
    }

    /// Adds records to those that wait, and empties `records`.
    func add(_ records: inout [DecisionRecord]) {
        let room = waiting.withLock { waiting in
            let room = Self.recordCountLimit - waiting.records.count
            waiting.records += records.prefix(room)
            return room
        }
        if room == Self.recordCountLimit { isWanted.announce() }
        DecisionFile.drop(records.count - room, counters, logger)
        records.removeAll(keepingCapacity: true)
    }

    /// Has the file opened again, after a log rotation has renamed it (USR1). Records that wait here go into the old file.
    func reopen() {
        waiting.withLock { $0.mustReopen = true }
        isWanted.announce()
    }

    /// Has everything written, then `lastLine`, and ends the thread.
    ///
    /// - Returns: false when that takes longer than `milliseconds`. What is not written by then counts as dropped.
    func finish(_ lastLine: String, withinMilliseconds milliseconds: Int32) -> Bool {
        waiting.withLock { $0.lastLine = lastLine }
        isWanted.announce()
        let ended = try? Readiness.wait(for: [hasEnded.descriptor.number], timeoutMilliseconds: milliseconds)
        if ended?.isEmpty == false { return true }
        let lost = waiting.withLock { waiting in
            defer { (waiting.records, waiting.takenCount) = ([], 0) }
            return waiting.records.count + waiting.takenCount
        }
        DecisionFile.drop(lost, counters, logger)
        return false
    }

    // MARK: - The thread

    private func serve(_ firstLines: [String], _ key: IdentifierKey) {
        Processes.setName(Self.threadName)
        var file = DecisionFile(
            path: path, instance: instance, firstLines: firstLines, pseudonyms: try? key.pseudonyms(),
            counters: counters, logger: logger)
        var records: [DecisionRecord] = []
        while true {
            _ = try? Readiness.wait(for: [isWanted.descriptor.number], timeoutMilliseconds: -1)
            if waiting.withLock({ $0.lastLine == nil }) {
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: Self.gatherMilliseconds)
            }
            isWanted.clear()
            let (mustReopen, lastLine) = waiting.withLock { waiting in
                swap(&records, &waiting.records)
                waiting.takenCount = records.count
                defer { waiting.mustReopen = false }
                return (waiting.mustReopen, waiting.lastLine)
            }
            file.openIfStale()
            let written = file.write(records)
            let isCounted = waiting.withLock { waiting in
                defer { waiting.takenCount = 0 }
                return waiting.takenCount > 0
            }
            if isCounted { DecisionFile.drop(records.count - written, counters, logger) }
            records.removeAll(keepingCapacity: true)
            if mustReopen { file.open() }
            guard let lastLine else { continue }
            if !lastLine.isEmpty { _ = file.write([lastLine]) }
            return hasEnded.announce()
        }
    }
}

/// The open file of decision records. Belongs to one thread.
struct DecisionFile {
    /// A path that cannot be opened is tried at this interval: soon enough after a repair, and only one failed open(2) a second.
    private static let attemptNanoseconds: UInt64 = 1_000_000_000

    /// A full disk drops every record for hours. One log line a minute is visible and does not fill the log.
    private static let dropWarningMilliseconds: UInt64 = 60_000

    let path: String
    let instance: String
    /// Each file says by which rules its records were drawn: older files may be gone when a report reads it.
    let firstLines: [String]
    let pseudonyms: SubscriberPseudonyms?
    let counters: SharedCounters
    let logger: Logger
    private var output: LineOutput?
    /// The first lines that are not in the open file yet.
    private var missing: ArraySlice<String> = []
    /// True when `output` is not the file at the path.
    private var isStale = true
    private var hasFailed = false
    private var nextAttempt: UInt64 = 0

    init(
        path: String, instance: String, firstLines: [String], pseudonyms: SubscriberPseudonyms?,
        counters: SharedCounters, logger: Logger
    ) {
        self.path = path
        self.instance = instance
        self.firstLines = firstLines
        self.pseudonyms = pseudonyms
        self.counters = counters
        self.logger = logger
    }

    /// Opens the file at the path, unless that is done or has failed a moment ago.
    mutating func openIfStale() {
        if isStale, Clock.monotonicNanoseconds() >= nextAttempt { open() }
    }

    mutating func open() {
        do throws(SystemCallError) {
            output = try LineOutput(appendingTo: path)
            (isStale, hasFailed, missing) = (false, false, firstLines[...])
            writeMissing()
        } catch {
            isStale = true
            nextAttempt = Clock.monotonicNanoseconds() + Self.attemptNanoseconds
            if !hasFailed {
                logger.error(
                    "decision records cannot be written",
                    metadata: ["code": "decisions-unwritable", "path": "\(path)", "reason": "\(error)"])
            }
            hasFailed = true
        }
    }

    /// Writes lines up to the first that the disk does not take whole, and returns the number of those written.
    func write(_ lines: ArraySlice<String>) -> Int {
        guard let output else { return 0 }
        return lines.prefix { output.write($0.utf8Span.span, ends: [$0.utf8.count]) == 1 }.count
    }

    /// Lines that a full disk refuses are tried again with the next records.
    private mutating func writeMissing() { missing.removeFirst(write(missing)) }

    mutating func write(_ records: [DecisionRecord]) -> Int {
        guard !records.isEmpty else { return 0 }
        writeMissing()
        var lines = TextBuffer()
        var ends: [Int] = []
        for record in records {
            record.append(instance: instance, pseudonyms, to: &lines)
            ends.append(lines.count)
        }
        let written = lines.withSpan { output?.write($0, ends: ends) ?? 0 }
        if written > 0 { counters.add(.decisionsWritten, UInt64(written)) }
        return written
    }

    static func drop(_ count: Int, _ counters: SharedCounters, _ logger: Logger) {
        guard count > 0 else { return }
        counters.add(.decisionsDropped, UInt64(count))
        let now = Clock.monotonicNanoseconds() / 1_000_000
        guard counters.claim(.dropsLoggedAt, at: now, apart: dropWarningMilliseconds) else { return }
        logger.error(
            "decision records are dropped",
            metadata: ["code": "decisions-dropped", "dropped": "\(counters.value(.decisionsDropped))"])
    }
}

/// What one decision record tells: NDJSON for a person or a program that counts and compares decisions. It holds no subscriber's
/// identifier, no payload and no token.
///
/// The members and their order are always the same, and an absent value is null. Only `shadow` may be missing, and
/// `assigned` in it is there only for a subscriber who is held out.
struct DecisionRecord: Sendable {
    /// What is served, without the signatures that are made for one request and never kept.
    struct Served: Sendable {
        let messageIdentifier: UUID
        let kind: OutcomeKind
        let offerIdentifier: String?

        init(_ outcome: SignedOutcome) {
            messageIdentifier = outcome.messageIdentifier
            kind = outcome.kind
            if case .offer(let offer, _) = outcome.content {
                offerIdentifier = offer.offerIdentifier
            } else {
                offerIdentifier = nil
            }
        }
    }

    let decision: Decision
    let served: Served?
    let asked: RealtimeRequest
    let rules: RulesFile
    let nowMilliseconds: Int64
    let timing: RequestTiming
    let sequence: UInt64

    /// Appends the record of the worker `instance` as one line. A nil for `pseudonyms` leaves the subscriber's name empty.
    /// When the record is longer than a line of the log may be, drops the last of the assigned draws until it fits: the record
    /// matters more than a complete list of draws. Appends a line that is too long when even that is not enough.
    func append(instance: String, _ pseudonyms: SubscriberPseudonyms?, to line: inout TextBuffer) {
        let start = line.count
        var drawCount = decision.assigned.count
        while true {
            appendRequest(instance, pseudonyms, to: &line)
            line.append(decision, drawCount, rules)
            line.append(served, of: decision, rules)
            line.append(",\"digest\":\"", plain: rules.digest.hexadecimal)
            line.append("\",\"verifyMicroseconds\":", timing.verifyMicroseconds)
            line.append(",\"totalMicroseconds\":", timing.totalMicroseconds)
            line.append("}\n")
            guard line.count - start > LineOutput.lineBytes, drawCount > 0 else { return }
            drawCount -= 1
            line.cut(to: start)
        }
    }

    private func appendRequest(
        _ instance: String, _ pseudonyms: SubscriberPseudonyms?, to line: inout TextBuffer
    ) {
        line.append("{\"time\":\"", timeMilliseconds: nowMilliseconds)
        line.append("\",\"signedDate\":\"", timeMilliseconds: asked.signedDate)
        line.append("\",\"instance\":\"", plain: instance)
        line.append("\",\"sequence\":", sequence)
        line.append(",\"requestIdentifier\":\"")
        line.append(asked.requestIdentifier)
        line.append("\",\"subscriber\":\"")
        // Where libcrypto fails there is no pseudonym; the record is useful without it.
        try? pseudonyms?.append(pseudonymOf: asked.originalTransactionId.utf8Span.span, to: &line)
        line.append("\",\"app\":", asked.appAppleId)
        line.append(",\"environment\":\"", plain: asked.environment.rawValue)
        line.append("\",\"product\":", asked.productId)
        line.append(",\"locale\":", asked.userLocale)
    }
}

extension TextBuffer {
    /// Appends a literal and behind it the time as RFC 3339 text with milliseconds. RFC 3339 has no text for times before the year 0 or
    /// after 9999; such a time becomes the nearest one that has a text.
    @inline(__always)
    fileprivate mutating func append(_ literal: StaticString, timeMilliseconds: Int64) {
        append(literal)
        append(CivilTime(milliseconds: min(max(timeMilliseconds, -62_167_219_200_000), 253_402_300_799_999)))
    }

    /// Appends the members that tell what was decided and why, with the first `drawCount` of the assigned draws.
    fileprivate mutating func append(_ decision: Decision, _ drawCount: Int, _ rules: RulesFile) {
        append(rule: decision.ruleIndex, arm: decision.armIndex, after: ",\"rule\":", rules)
        append(",\"reason\":\"", plain: decision.reason.rawValue)
        append("\",\"assigned\":[")
        // For a subscriber who is held out, everything was drawn in the shadow decision.
        if !decision.isHeldOut { append(decision.assigned, drawCount, rules) }
        append(UInt8(ascii: "]"))
        guard let shadow = decision.shadow else { return }
        append(",\"shadow\":{\"reason\":\"", plain: shadow.reason.rawValue)
        append(rule: shadow.ruleIndex, arm: shadow.armIndex, after: "\",\"rule\":", rules)
        append(",\"message\":", shadow.messageIndex.map { .message($0) }, rules)
        if decision.isHeldOut {
            append(",\"assigned\":[")
            append(decision.assigned, drawCount, rules)
            append(UInt8(ascii: "]"))
        }
        append(UInt8(ascii: "}"))
    }

    fileprivate mutating func append(
        _ served: DecisionRecord.Served?, of decision: Decision, _ rules: RulesFile
    ) {
        guard let served else { return append(",\"served\":null") }
        append(",\"served\":{\"messageIdentifier\":\"")
        append(served.messageIdentifier)
        append("\",\"offerIdentifier\":", served.offerIdentifier)
        append(",\"kind\":\"", plain: served.kind.name)
        append("\",\"message\":", decision.messageIndex.map { .message($0) }, rules)
        append(",\"locale\":", decision.locale.isNone ? nil : .string(decision.locale), rules)
        append(UInt8(ascii: "}"))
    }

    /// Appends the rules that were drawn and did not serve, in the order of the rules.
    private mutating func append(_ draws: Assignments, _ drawCount: Int, _ rules: RulesFile) {
        for (index, draw) in draws.enumerated().prefix(drawCount) {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(rule: draw.ruleIndex, arm: draw.armIndex, after: "{\"rule\":", rules)
            append(",\"step\":\"", plain: draw.step.rawValue)
            append("\"}")
        }
    }

    private mutating func append(rule: Int?, arm: Int?, after literal: StaticString, _ rules: RulesFile) {
        append(literal, rule.map { .rule($0) }, rules)
        var named: RuleName?
        if let rule, let arm { named = .arm(arm, ofRule: rule) }
        append(",\"arm\":", named, rules)
    }

    /// Appends a literal and behind it the name of a part of the rules in quotes, or `null` when there is none.
    private mutating func append(_ literal: StaticString, _ part: RuleName?, _ rules: RulesFile) {
        append(literal)
        let start = count
        append(UInt8(ascii: "\""))
        guard let part, rules.append(nameOf: part, to: &self) else {
            cut(to: start)
            append("null")
            return
        }
        escape(from: start + 1)
        append(UInt8(ascii: "\""))
    }
}

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

    private static func nodes(_ experiment: RulesExperiment) -> [JSONNode] {
        // A file with a date that no calendar has would have failed its check.
        let until = experiment.until.flatMap { DataFileLimits.dateRange.contains($0) ? $0 : nil }
        func node(_ kind: String, _ division: [(String, JSONNode)]) -> JSONNode {
            let members: [(String, JSONNode)] = [
                ("kind", .string(kind)), ("rule", experiment.rule.map { .string($0) } ?? .null),
                ("salt", .string(experiment.salt)), ("unit", .string(experiment.unit)),
            ]
            let end = until.map { JSONNode.string(CivilTime(milliseconds: $0).exactDescription) } ?? .null
            return .object(members + division + [("until", end)])
        }
        switch experiment.division {
        case .holdout(let basisPoints): return [node("holdout", [shares(basisPoints)])]
        case .rollout(let basisPoints): return [node("rollout", [shares(basisPoints)])]
        case .variants(let arms):
            return stride(from: 0, to: arms.count, by: armCountLimit).map { first in
                let some = arms[first..<min(first + armCountLimit, arms.count)]
                let place = first > 0 ? [("firstArm", JSONNode.integer(Int64(first)))] : []
                return node("variants", [("arms", .array(some.map(Self.arm)))] + place)
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
