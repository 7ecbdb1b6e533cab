public import JSON

extension PerformanceTestConfig {
    /// Apple's JSON object.
    public var json: JSONNode {
        .object([
            ("maxConcurrentRequests", .integer(maxConcurrentRequests)),
            ("totalRequests", .integer(totalRequests)),
            ("totalDuration", .integer(totalDuration)),
            ("responseTimeThreshold", .integer(responseTimeThreshold)),
            ("successRateThreshold", .integer(successRateThreshold)),
        ])
    }
}

extension PerformanceTestResponse {
    /// Apple's JSON object.
    public var json: JSONNode {
        .object([("config", config.json), ("requestId", .string(requestId))])
    }
}

extension PerformanceTestResultResponse {
    /// Apple's JSON object. Has no member for a value that is nil.
    public var json: JSONNode {
        var members: [(String, JSONNode)] = []
        if let config { members.append(("config", config.json)) }
        if let target { members.append(("target", .string(target))) }
        members.append(("result", .string(result.rawValue)))
        if let successRate { members.append(("successRate", .integer(successRate))) }
        if let numPending { members.append(("numPending", .integer(numPending))) }
        if let responseTimes { members.append(("responseTimes", responseTimes.json)) }
        members.append(("failures", .object(failures.map { ($0.name, .integer($0.count)) })))
        return .object(members)
    }
}

extension PerformanceTestResultResponse.ResponseTimes {
    /// Apple's JSON object.
    public var json: JSONNode {
        .object([
            ("average", .integer(average)), ("p50", .integer(p50)), ("p90", .integer(p90)),
            ("p95", .integer(p95)), ("p99", .integer(p99)),
        ])
    }
}
