internal import AppStoreServerAPI
internal import AppStoreTraffic
internal import JSON
internal import Vocabulary

extension AppStoreSimulator {
    /// Initiate Performance Test. The caller runs the test that the answer names, and then calls
    /// ``finishTest(_:bundleId:outcome:)``.
    mutating func startTest(_ call: Call, using random: inout some RandomNumberGenerator)
        throws(SimulatorProblem) -> SimulatorAnswer
    {
        let bundleId = call.app.bundleId
        guard let root = try? EnvironmentState.object(call.request),
            let transaction = root.member("originalTransactionId")?.string
        else { throw .apple(.invalidPerformanceTestRequest) }
        expireTests(bundleId, at: call.now)
        guard !state[bundleId].tests.contains(where: { $0.outcome == nil }) else {
            throw .apple(.performanceTestRuns)
        }
        try check(transaction: transaction)
        // Apple's page names no code for a missing URL. The request is then invalid as a whole.
        guard let url = state[bundleId].sandbox.realtimeURL else {
            throw .apple(.invalidPerformanceTestRequest)
        }
        let run = PerformanceTestRun(
            requestId: Self.randomIdentifier(using: &random), target: url,
            configuration: configuration.performanceTest, startedMilliseconds: call.now)
        state[bundleId].tests.append(run)
        if state[bundleId].tests.count > SimulatorLimits.performanceTestCount {
            state[bundleId].tests.removeFirst()
        }
        let response = PerformanceTestResponse(
            config: run.configuration.config, requestId: run.requestId.description)
        var answer = SimulatorAnswer(response.json)
        answer.startedTest = StartedPerformanceTest(
            bundleId: bundleId, appAppleId: call.app.appAppleId, requestId: response.requestId, target: url,
            originalTransactionId: transaction)
        return answer
    }

    /// Get Performance Test Results.
    mutating func testResult(_ text: String, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        guard let requestId = UUID(text) else { throw .apple(.invalidRequestId) }
        expireTests(call.app.bundleId, at: call.now)
        guard let run = state[call.app.bundleId].tests.first(where: { $0.requestId == requestId }) else {
            throw .apple(.performanceTestNotFound)
        }
        return SimulatorAnswer(run.response.json)
    }

    /// Gives a performance test its outcome. An outcome of a test that has ended, or that is not known, is ignored.
    public mutating func finishTest(_ requestId: String, bundleId: String, outcome: PerformanceTestOutcome) {
        let tests = state[bundleId].tests
        guard let index = tests.firstIndex(where: { $0.requestId.description == requestId }),
            tests[index].outcome == nil
        else { return }
        state[bundleId].tests[index].outcome = outcome
        if outcome.isPass { state[bundleId].hasPassedTest = true }
    }

    private mutating func expireTests(_ bundleId: String, at now: Int64) {
        for index in state[bundleId].tests.indices { state[bundleId].tests[index].expire(at: now) }
    }

    private func check(transaction: String) throws(SimulatorProblem) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...SimulatorLimits.transactionIdLength).contains(transaction.utf8.count),
            transaction.utf8.allSatisfy(digits.contains)
        else { throw .apple(.invalidTransactionId) }
        switch configuration.transactions[transaction] ?? .original {
        case .original: return
        case .renewal: throw .apple(.notOriginalTransactionId)
        case .family: throw .apple(.familySharedTransaction)
        case .app: throw .apple(.appTransactionIdNotSupported)
        case .unknown: throw .apple(.invalidTransactionId)
        }
    }

    /// Returns a random UUID, version 4 (RFC 9562 section 5.4).
    static func randomIdentifier(using random: inout some RandomNumberGenerator) -> UUID {
        UUID(high: random.next() & ~0xF000 | 0x4000, low: random.next() & ~(0xC0 << 56) | 0x80 << 56)
    }
}
