internal import AppStoreServerAPI
internal import System

private struct TestRequest: Decodable {
    let originalTransactionId: String
}

private struct TestStart: Encodable {
    let config: PerformanceTestConfiguration
    let requestId: String
}

extension AppStoreSimulator {
    /// The caller runs the test that the answer names, and then calls ``finishTest(_:bundleId:result:)``.
    mutating func startTest(_ call: Call, using random: inout some RandomNumberGenerator)
        throws(SimulatorAnswer) -> SimulatorAnswer
    {
        let bundleId = call.app.bundleId
        guard let body = call.request.decoded(TestRequest.self) else {
            throw .apple(.invalidPerformanceTestRequest)
        }
        let transaction = body.originalTransactionId
        expireTests(bundleId, at: call.now)
        guard !state[bundleId].tests.contains(where: { $0.result == nil }) else {
            throw .apple(.performanceTestRuns)
        }
        try Self.checkForm(of: transaction)
        try check(transaction: transaction)
        // Apple's page names no code for a missing URL. The request is then invalid as a whole.
        guard let url = state[bundleId].sandbox.realtimeURL else {
            throw .apple(.invalidPerformanceTestRequest)
        }
        let run = PerformanceTestRun(
            requestId: UUID(randomFrom: &random), target: url,
            configuration: configuration.performanceTest, startedMilliseconds: call.now)
        state[bundleId].tests.append(run)
        if state[bundleId].tests.count > SimulatorLimits.performanceTestCount {
            state[bundleId].tests.removeFirst()
        }
        let requestId = run.requestId.description
        var answer = SimulatorAnswer(json: TestStart(config: run.configuration, requestId: requestId))
        answer.startedTest = StartedPerformanceTest(
            bundleId: bundleId, appAppleId: call.app.appAppleId, requestId: requestId, target: url,
            originalTransactionId: transaction)
        return answer
    }

    mutating func testResult(_ text: String, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        guard let requestId = UUID(text) else { throw .apple(.invalidRequestId) }
        expireTests(call.app.bundleId, at: call.now)
        guard let run = state[call.app.bundleId].tests.first(where: { $0.requestId == requestId }) else {
            throw .apple(.performanceTestNotFound)
        }
        return SimulatorAnswer(json: run.response)
    }

    package mutating func finishTest(
        _ requestId: String, bundleId: String, result: PerformanceTestResultResponse
    ) {
        let tests = state[bundleId].tests
        guard let index = tests.firstIndex(where: { $0.requestId.description == requestId }),
            tests[index].result == nil
        else { return }
        state[bundleId].tests[index].result = result
        if result.result == .pass { state[bundleId].hasPassedTest = true }
    }

    private mutating func expireTests(_ bundleId: String, at now: Int64) {
        for index in state[bundleId].tests.indices { state[bundleId].tests[index].expire(at: now) }
    }

    private func check(transaction: String) throws(SimulatorAnswer) {
        switch configuration.transactions[transaction] ?? .original {
        case .original: return
        case .renewal: throw .apple(.notOriginalTransactionId)
        case .family: throw .apple(.familySharedTransaction)
        case .app: throw .apple(.appTransactionIdNotSupported)
        case .unknown: throw .apple(.invalidTransactionId)
        }
    }
}

struct PerformanceTestRun: Sendable, Hashable, Codable {
    let requestId: UUID
    let target: String
    let configuration: PerformanceTestConfiguration
    let startedMilliseconds: Int64
    var result: PerformanceTestResultResponse?

    var response: PerformanceTestResultResponse { result ?? unfinished(.pending) }

    mutating func expire(at now: Int64 = .max) {
        guard result == nil, now >= startedMilliseconds + configuration.totalDuration + 10_000
        else { return }
        result = unfinished(.fail)
    }

    private func unfinished(_ result: PerformanceTestResultResponse.Result) -> PerformanceTestResultResponse {
        PerformanceTestResultResponse(
            result: result, config: configuration, target: target, numPending: configuration.totalRequests)
    }
}
