internal import System

/// The table that counts decisions by rule and arm. Workers claim its rows when they start. A row keeps its names and its
/// counts until the pool ends, so no count ever goes down, whatever rules are loaded. When all rows are taken, further
/// rules are counted together as ``DecisionRowKey/otherRule``.
extension SharedCounters {
    /// The most rows that one generation may claim.
    public static let decisionRowsOfGeneration = TelemetryLimits.decisionRows / 2
    /// The number of all rows.
    public static let decisionRowCount = TelemetryLimits.decisionRows

    /// Returns the number of the row with these names. Takes a free row when no row has them.
    ///
    /// A row is claimed by its digest, and everyone who finds the digest in a row without text writes the same text. So a
    /// worker that dies in between leaves no row that nobody can use.
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
        let lengths = memory.load(start + Word.lengths)
        let counts = (0..<3).map { Int(lengths >> UInt64($0 * 16) & 0xFFFF) }
        let byteCount = min(counts.reduce(0, +), textByteCount)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + 8)
        for index in 0..<(byteCount + 7) / 8 {
            let word = memory.load(start + Word.text + index)
            for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(place * 8))) }
        }
        func text(from first: Int, count: Int) -> String {
            String(decoding: bytes.prefix(byteCount).dropFirst(first).prefix(count), as: UTF8.self)
        }
        return DecisionRowKey(
            appAppleId: Int64(bitPattern: memory.load(start + Word.app)),
            environment: text(from: 0, count: counts[0]),
            rule: text(from: counts[0], count: counts[1]),
            arm: text(from: counts[0] + counts[1], count: counts[2])
        )
    }
}
