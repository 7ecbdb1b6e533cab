internal import System

extension RulesChecker {
    func checkTests(_ bytes: RawSpan) throws(DataFileError) {
        var taken = 0
        for index in 0..<tables.tests.count {
            guard let record = tables.tests.record(at: index, in: bytes) else { return }
            let offset = tables.tests.offset(of: index)
            try requireString(record.name, .tests, offset)
            try requireString(record.productId, .tests, field(\TestRecord.productId, at: offset))
            try requireString(record.userLocale, .tests, field(\TestRecord.userLocale, at: offset))
            try requireString(
                record.originalTransactionId, .tests, field(\TestRecord.originalTransactionId, at: offset))
            guard DataFileLimits.dateRange.contains(record.nowMilliseconds) else {
                throw error(.badValue, .tests, field(\TestRecord.nowMilliseconds, at: offset))
            }
            guard record.factsAgeSeconds == .min || record.factsAgeSeconds >= 0 else {
                throw error(.badValue, .tests, field(\TestRecord.factsAgeSeconds, at: offset))
            }
            try checkExpectation(record, offset)
            guard record.firstFact == UInt32(taken) else {
                throw error(.badReference, .tests, field(\TestRecord.firstFact, at: offset))
            }
            let hasRecord = record.flags & TestFlags.hasRecord != 0
            guard Int(record.factCount) <= (hasRecord ? tables.testFacts.count - taken : 0) else {
                throw error(.badReference, .tests, field(\TestRecord.factCount, at: offset))
            }
            guard record.reserved == 0 else {
                throw error(.badValue, .tests, field(\TestRecord.reserved, at: offset))
            }
            let end = taken + Int(record.factCount)
            try checkTestFacts(taken..<end, bytes)
            taken = end
        }
        guard taken == tables.testFacts.count else {
            throw error(.badReference, .testFacts, tables.testFacts.offset(of: taken))
        }
    }

    private func checkExpectation(_ record: TestRecord, _ offset: Int) throws(DataFileError) {
        guard record.flags & ~TestFlags.known == 0 else {
            throw error(.unknownFeature, .tests, field(\TestRecord.flags, at: offset))
        }
        let others = record.flags & (TestFlags.expectsDefault | TestFlags.expectsNone)
        guard others.nonzeroBitCount + (record.rule.isNone ? 0 : 1) <= 1 else {
            throw error(.badValue, .tests, field(\TestRecord.flags, at: offset))
        }
        guard record.rule.isNone || record.rule.index < tables.rules.count else {
            throw error(.badReference, .tests, field(\TestRecord.rule, at: offset))
        }
        try requireStringOrNone(record.arm, .tests, field(\TestRecord.arm, at: offset))
        guard record.message.isNone || record.message.index < tables.messages.count else {
            throw error(.badReference, .tests, field(\TestRecord.message, at: offset))
        }
        try requireStringOrNone(record.reason, .tests, field(\TestRecord.reason, at: offset))
    }

    private func checkTestFacts(_ range: Range<Int>, _ bytes: RawSpan) throws(DataFileError) {
        var facts: Set<UInt16> = []
        for index in range {
            guard let record = tables.testFacts.record(at: index, in: bytes) else { return }
            let offset = tables.testFacts.offset(of: index)
            guard case .declared(let fact)? = Fact(number: record.fact),
                let kind = tables.kind(of: .declared(fact), bytes)
            else { throw error(.badReference, .testFacts, offset) }
            guard facts.insert(record.fact).inserted else { throw error(.badValue, .testFacts, offset) }
            guard kind.rawValue == record.valueKind else {
                throw error(.badValue, .testFacts, field(\TestFactRecord.valueKind, at: offset))
            }
            guard record.reserved == 0 else {
                throw error(.badValue, .testFacts, field(\TestFactRecord.reserved, at: offset))
            }
            if kind == .string {
                try requireString(record.string, .testFacts, field(\TestFactRecord.string, at: offset))
            } else {
                guard record.string.isNone else {
                    throw error(.badReference, .testFacts, field(\TestFactRecord.string, at: offset))
                }
            }
            guard kind.canBe(record.number) else {
                throw error(.badValue, .testFacts, field(\TestFactRecord.number, at: offset))
            }
        }
    }
}

extension ValueKind {
    /// Returns true when a number of a file can stand for a value of this kind. For a string the number must be zero.
    func canBe(_ number: Int64) -> Bool {
        switch self {
        case .string: number == 0
        case .date: DataFileLimits.dateRange.contains(number)
        case .integer: true
        case .boolean: number == 0 || number == 1
        }
    }
}
