internal import System

extension RulesChecker {
    func checkTests(_ bytes: RawSpan) throws(DataFileError) {
        var taken = 0
        for index in 0..<tables.tests.count {
            guard let record = tables.tests.record(at: index, in: bytes) else { return }
            let offset = tables.tests.offset(of: index)
            try requireString(record.name, .tests, offset)
            try requireString(record.productId, .tests, offset + 4)
            try requireString(record.userLocale, .tests, offset + 8)
            try requireString(record.originalTransactionId, .tests, offset + 12)
            guard DataFileLimits.dateRange.contains(record.nowMilliseconds) else {
                throw error(.badValue, .tests, offset + 16)
            }
            guard record.factsAgeSeconds == .min || record.factsAgeSeconds >= 0 else {
                throw error(.badValue, .tests, offset + 24)
            }
            try checkExpectation(record, offset)
            guard record.firstFact == UInt32(taken) else { throw error(.badReference, .tests, offset + 52) }
            let hasRecord = record.flags & TestFlags.hasRecord != 0
            guard Int(record.factCount) <= (hasRecord ? tables.testFacts.count - taken : 0) else {
                throw error(.badReference, .tests, offset + 56)
            }
            guard record.reserved == 0 else { throw error(.badValue, .tests, offset + 60) }
            let end = taken + Int(record.factCount)
            try checkTestFacts(taken..<end, bytes)
            taken = end
        }
        guard taken == tables.testFacts.count else {
            throw error(.badReference, .testFacts, tables.testFacts.offset(of: taken))
        }
    }

    private func checkExpectation(_ record: TestRecord, _ offset: Int) throws(DataFileError) {
        guard record.flags & ~TestFlags.known == 0 else { throw error(.unknownFeature, .tests, offset + 32) }
        let others = record.flags & (TestFlags.expectsDefault | TestFlags.expectsNone)
        guard others.nonzeroBitCount + (record.rule.isNone ? 0 : 1) <= 1 else {
            throw error(.badValue, .tests, offset + 32)
        }
        guard record.rule.isNone || record.rule.index < tables.rules.count else {
            throw error(.badReference, .tests, offset + 36)
        }
        try requireStringOrNone(record.arm, .tests, offset + 40)
        guard record.message.isNone || record.message.index < tables.messages.count else {
            throw error(.badReference, .tests, offset + 44)
        }
        try requireStringOrNone(record.reason, .tests, offset + 48)
    }

    /// The facts of one test.
    private func checkTestFacts(_ range: Range<Int>, _ bytes: RawSpan) throws(DataFileError) {
        var facts: Set<UInt16> = []
        for index in range {
            guard let record = tables.testFacts.record(at: index, in: bytes) else { return }
            let offset = tables.testFacts.offset(of: index)
            guard case .declared(let fact)? = Fact(number: record.fact),
                let kind = tables.kind(of: .declared(fact), bytes)
            else { throw error(.badReference, .testFacts, offset) }
            guard facts.insert(record.fact).inserted else { throw error(.badValue, .testFacts, offset) }
            guard kind.rawValue == record.valueKind else { throw error(.badValue, .testFacts, offset + 2) }
            guard record.reserved == 0 else { throw error(.badValue, .testFacts, offset + 3) }
            if kind == .string {
                try requireString(record.string, .testFacts, offset + 4)
            } else {
                guard record.string.isNone else { throw error(.badReference, .testFacts, offset + 4) }
            }
            guard kind.canBe(record.number) else { throw error(.badValue, .testFacts, offset + 8) }
        }
    }
}

extension ValueKind {
    /// Whether a number of a file can stand for a value of this kind; beside a string it is zero.
    func canBe(_ number: Int64) -> Bool {
        switch self {
        case .string: number == 0
        case .date: DataFileLimits.dateRange.contains(number)
        case .integer: true
        case .boolean: number == 0 || number == 1
        }
    }
}
