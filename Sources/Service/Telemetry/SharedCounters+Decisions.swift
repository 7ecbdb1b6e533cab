internal import System
internal import Vocabulary

/// The table that counts decisions by rule and arm. Workers claim its rows when they start. A row keeps its names and
/// its counts until the pool ends, so no count ever goes down, whatever rules are loaded. When all rows are taken,
/// further rules are counted together as ``DecisionRowKey/otherRule``.
extension SharedCounters {
    /// The most rows that one generation may claim.
    public static let decisionRowsOfGeneration = TelemetryLimits.decisionRows / 2
    public static let decisionRowCount = TelemetryLimits.decisionRows

    /// Returns the number of the row with these names. Takes a free row when no row has them.
    ///
    /// A row is claimed by its digest, and everyone who finds the digest in a row without text writes the same text. So
    /// a worker that dies in between leaves no row that nobody can use.
    ///
    /// - Returns: nil when the names are too long or no row is free.
    public func claimDecisionRow(_ key: DecisionRowKey) -> Int? {
        guard key.byteCount <= DecisionRow.textByteCount else { return nil }
        let hash = key.hash
        let count = TelemetryLimits.decisionRows
        for attempt in 0..<count {
            let row = (Int(truncatingIfNeeded: hash >> 1) + attempt) % count
            let start = decisionWord(row)
            if memory.load(start) == 0 {
                _ = memory.exchange(0, for: hash, at: start + DecisionRow.Word.hash)
            }
            guard memory.load(start) == hash else { continue }
            if memory.load(start + DecisionRow.Word.isReady) == 0 { write(key, to: start) }
            if self.key(at: start) == key { return row }
        }
        return nil
    }

    /// Counts decisions in a row. `reason` is a number below ``DecisionRow/reasonCount``.
    public func addDecision(row: Int, reason: Int, _ amount: UInt64 = 1) {
        guard isDecisionRow(row), reason >= 0, reason < DecisionRow.reasonCount else { return }
        memory.add(amount, to: decisionWord(row) + DecisionRow.Word.decisions + reason)
    }

    /// Counts how often decisions passed over the rule of a row.
    public func addPassedOver(row: Int, _ amount: UInt64) {
        guard isDecisionRow(row) else { return }
        memory.add(amount, to: decisionWord(row) + DecisionRow.Word.passedOver)
    }

    /// The rows that are in use, in the order of their places.
    public var decisionRows: [DecisionRow] {
        (0..<TelemetryLimits.decisionRows).compactMap { decisionRow($0) }
    }

    /// Returns true when a row is in use. It then has the same names until the pool ends.
    public func isDecisionRowInUse(_ row: Int) -> Bool {
        isDecisionRow(row) && memory.load(decisionWord(row) + DecisionRow.Word.isReady) == 1
    }

    /// Returns how many decisions a row has for a reason.
    public func decisions(row: Int, reason: Int) -> UInt64 {
        guard isDecisionRow(row), reason >= 0, reason < DecisionRow.reasonCount else { return 0 }
        return memory.load(decisionWord(row) + DecisionRow.Word.decisions + reason)
    }

    /// Returns a row; nil when it is not in use or does not exist.
    public func decisionRow(_ row: Int) -> DecisionRow? {
        guard isDecisionRowInUse(row) else { return nil }
        let start = decisionWord(row)
        return DecisionRow(
            index: row,
            key: key(at: start),
            decisions: (0..<DecisionRow.reasonCount).map {
                memory.load(start + DecisionRow.Word.decisions + $0)
            },
            passedOver: memory.load(start + DecisionRow.Word.passedOver)
        )
    }

    /// Adds the names of a row to the labels of a scrape, as the labels `app`, `environment`, `rule` and `arm`. Adds
    /// nothing for a row that is not in use.
    public func addNames(ofDecisionRow row: Int, to labels: inout EscapedLabels) {
        guard isDecisionRowInUse(row) else { return }
        DecisionRow.withNames(at: decisionWord(row), in: memory) { app, environment, rule, arm in
            var number = TextBuffer(reservingByteCount: 64)
            let isRest =
                app == 0 && environment.isEqual(to: DecisionRowKey.everythingElse.environment.utf8Span.span)
            if isRest { number.append("other") } else { number.append(decimal: app) }
            number.withSpan { labels.add("app", $0) }
            labels.add("environment", environment)
            labels.add("rule", rule)
            labels.add("arm", arm)
        }
    }

    /// The number of rows that are in use.
    public var usedDecisionRowCount: Int {
        (0..<TelemetryLimits.decisionRows).count { memory.load(decisionWord($0)) != 0 }
    }

    private func isDecisionRow(_ row: Int) -> Bool { row >= 0 && row < TelemetryLimits.decisionRows }

    private func decisionWord(_ row: Int) -> Int { layout.decisions + row * DecisionRow.wordCount }

    private func write(_ key: DecisionRowKey, to start: Int) {
        let texts = [key.environment, key.rule, key.arm]
        var lengths: UInt64 = 0
        for (place, text) in texts.enumerated() { lengths |= UInt64(text.utf8.count) << UInt64(place * 16) }
        memory.store(UInt64(bitPattern: key.appAppleId), at: start + DecisionRow.Word.app)
        memory.store(lengths, at: start + DecisionRow.Word.lengths)
        var word: UInt64 = 0
        var count = 0
        for byte in texts.joined().utf8 {
            word |= UInt64(byte) << UInt64(count % 8 * 8)
            count += 1
            guard count % 8 == 0 else { continue }
            memory.store(word, at: start + DecisionRow.Word.text + count / 8 - 1)
            word = 0
        }
        if count % 8 != 0 { memory.store(word, at: start + DecisionRow.Word.text + count / 8) }
        memory.store(1, at: start + DecisionRow.Word.isReady)
    }

    private func key(at start: Int) -> DecisionRowKey { DecisionRow.key(at: start, in: memory) }
}

extension DecisionRow {
    /// Reads the names of the row that begins at the word `start`.
    static func key(at start: Int, in memory: borrowing SharedCounterMemory) -> DecisionRowKey {
        withNames(at: start, in: memory) { app, environment, rule, arm in
            DecisionRowKey(
                appAppleId: app, environment: String(decoding: environment.copied(), as: UTF8.self),
                rule: String(decoding: rule.copied(), as: UTF8.self),
                arm: String(decoding: arm.copied(), as: UTF8.self))
        }
    }

    /// Lends the names of the row that begins at the word `start`: app, environment, rule and arm.
    static func withNames<Result>(
        at start: Int, in memory: borrowing SharedCounterMemory,
        _ body: (Int64, _ environment: Span<UInt8>, _ rule: Span<UInt8>, _ arm: Span<UInt8>) -> Result
    ) -> Result {
        let lengths = memory.load(start + Word.lengths)
        var end = 0
        func range(_ place: UInt64) -> Range<Int> {
            let first = end
            end = min(first + Int(lengths >> (place * 16) & 0xFFFF), textByteCount)
            return first..<end
        }
        let ranges = (range(0), range(1), range(2))
        var text = TextBuffer(reservingByteCount: textByteCount)
        for index in 0..<(end + 7) / 8 { text.append(word: memory.load(start + Word.text + index)) }
        return text.withSpan { text in
            body(
                Int64(bitPattern: memory.load(start + Word.app)), text.extracting(ranges.0),
                text.extracting(ranges.1), text.extracting(ranges.2))
        }
    }
}
