internal import System

/// The table that counts decisions by rule and arm. Workers claim its rows when they start. A row keeps its names and
/// its counts until the pool ends, so no count ever goes down, whatever rules are loaded. When all rows are taken,
/// further rules are counted together as ``DecisionRowKey/otherRule``.
extension SharedCounters {
    /// The most rows that one generation may claim.
    package static let decisionRowsOfGeneration = TelemetryLimits.decisionRows / 2

    /// Returns the number of the row with these names. Takes a free row when no row has them.
    ///
    /// A row is claimed by its digest, and everyone who finds the digest in a row without text writes the same text. So
    /// a worker that dies in between leaves no row that nobody can use.
    ///
    /// - Returns: nil when the names are too long or no row is free.
    package func claimDecisionRow(_ key: DecisionRowKey) -> Int? {
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
    package func addDecision(row: Int, reason: Int, _ amount: UInt64 = 1) {
        guard isDecisionRow(row), reason >= 0, reason < DecisionRow.reasonCount else { return }
        memory.add(amount, to: decisionWord(row) + DecisionRow.Word.decisions + reason)
    }

    /// The rows that are in use, in the order of their places.
    package var decisionRows: [DecisionRow] {
        (0..<TelemetryLimits.decisionRows).compactMap { decisionRow($0) }
    }

    package func decisionRow(_ row: Int) -> DecisionRow? {
        guard isDecisionRow(row), memory.load(decisionWord(row) + DecisionRow.Word.isReady) == 1 else {
            return nil
        }
        let start = decisionWord(row)
        return DecisionRow(
            index: row, key: key(at: start),
            decisions: (0..<DecisionRow.reasonCount).map {
                memory.load(start + DecisionRow.Word.decisions + $0)
            })
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

    private func key(at start: Int) -> DecisionRowKey {
        let lengths = memory.load(start + DecisionRow.Word.lengths)
        let counts = (0..<3).map { Int(lengths >> UInt64($0 * 16) & 0xFFFF) }
        let byteCount = min(counts.reduce(0, +), DecisionRow.textByteCount)
        var rest = (0..<byteCount).map { index in
            UInt8(
                truncatingIfNeeded: memory.load(start + DecisionRow.Word.text + index / 8)
                    >> UInt64(index % 8 * 8))
        }[...]
        let texts = counts.map { count in
            defer { rest = rest.dropFirst(count) }
            return String(decoding: rest.prefix(count), as: UTF8.self)
        }
        return DecisionRowKey(
            appAppleId: Int64(bitPattern: memory.load(start + DecisionRow.Word.app)), environment: texts[0],
            rule: texts[1], arm: texts[2])
    }
}

package struct DecisionRow: Sendable, Hashable {
    package let index: Int
    package let key: DecisionRowKey
    package let decisions: [UInt64]

    package var served: UInt64 { decisions.reduce(0, &+) }

    /// The most reasons that a row counts.
    package static let reasonCount = 16
    /// The most bytes of environment, rule and arm together. Rules with longer names have no row of their own; our
    /// compiler makes no such rules.
    package static let textByteCount = 272

    enum Word {
        /// The hash of the key; 0 in a free row.
        static let hash = 0
        /// 1 when the text is complete.
        static let isReady = 1
        static let app = 2
        /// The lengths of environment, rule and arm, 16 bits each.
        static let lengths = 3
        static let text = 4
        static let decisions = text + textByteCount / 8
    }

    /// The words of a row: nearly seven cache lines.
    static let wordCount = Word.decisions + reasonCount
}

/// The names that one row of decision counts stands for.
package struct DecisionRowKey: Sendable, Hashable {
    package let appAppleId: Int64
    package let environment: String
    /// The rule's id; empty for decisions that no rule made.
    package let rule: String
    /// The arm's name; empty for a rule without arms.
    package let arm: String

    package init(appAppleId: Int64, environment: String, rule: String = "", arm: String = "") {
        self.appAppleId = appAppleId
        self.environment = environment
        self.rule = rule
        self.arm = arm
    }

    /// The name of the row that counts all rules of a file which have no row of their own.
    package static let otherRule = "other"

    /// The row for everything that finds no free row.
    package static let everythingElse = DecisionRowKey(appAppleId: 0, environment: "other", rule: otherRule)

    var byteCount: Int { environment.utf8.count + rule.utf8.count + arm.utf8.count }

    var hash: UInt64 {
        let text = ["\(appAppleId)", environment, rule, arm].joined(separator: "\0")
        return max(Array(text.utf8).span.wordHash, 1)
    }
}
