internal import JSON
internal import Vocabulary

/// Reads the bodies of Apple's answers.
enum AnswerReading {
    static func messages(_ root: AnswerValue) throws(MalformedAnswer) -> [ListedMessage] {
        var messages: [ListedMessage] = []
        for item in try root.objects("messageIdentifiers") {
            messages.append(
                ListedMessage(
                    messageIdentifier: try item.uuid("messageIdentifier"),
                    messageState: ReviewState(rawValue: try item.word("messageState")))
            )
        }
        return messages
    }

    static func images(_ root: AnswerValue) throws(MalformedAnswer) -> [ListedImage] {
        var images: [ListedImage] = []
        for item in try root.objects("imageIdentifiers") {
            images.append(
                ListedImage(
                    imageIdentifier: try item.uuid("imageIdentifier"),
                    imageState: ReviewState(rawValue: try item.word("imageState")),
                    imageSize: try item.optionalWord("imageSize"))
            )
        }
        return images
    }

    static func defaultMessage(_ root: AnswerValue) throws(MalformedAnswer) -> UUID {
        try root.uuid("messageIdentifier")
    }

    static func realtimeURL(_ root: AnswerValue) throws(MalformedAnswer) -> String {
        try root.string("realtimeURL")
    }

    static func performanceTest(_ root: AnswerValue) throws(MalformedAnswer) -> PerformanceTestResponse {
        PerformanceTestResponse(
            config: try config(root.object("config")), requestId: try root.word("requestId"))
    }

    static func performanceTestResult(
        _ root: AnswerValue
    ) throws(MalformedAnswer) -> PerformanceTestResultResponse {
        var numbers: PerformanceTestConfig?
        if let object = try root.optionalObject("config") { numbers = try config(object) }
        var times: PerformanceTestResultResponse.ResponseTimes?
        if let object = try root.optionalObject("responseTimes") { times = try responseTimes(object) }
        var failures: [PerformanceTestResultResponse.Failure] = []
        if let object = try root.optionalObject("failures") {
            failures = try object.integers().map { .init(name: $0.name, count: $0.number) }
        }
        return PerformanceTestResultResponse(
            result: .init(rawValue: try root.word("result")), config: numbers,
            target: try root.optionalString("target"), successRate: try root.optionalInteger("successRate"),
            numPending: try root.optionalInteger("numPending"), responseTimes: times, failures: failures)
    }

    /// Reads the error object of a refusal. Every part of it may be missing or wrong: the status says enough.
    static func refusal(status: Int, body: [UInt8]) -> AppleRefusal {
        guard let root = try? AnswerValue.root(of: body, isHTML: false) else {
            return AppleRefusal(status: status)
        }
        return AppleRefusal(
            status: status, errorCode: try? root.integer("errorCode"),
            errorMessage: try? root.string("errorMessage"))
    }

    private static func config(_ object: AnswerValue) throws(MalformedAnswer) -> PerformanceTestConfig {
        PerformanceTestConfig(
            maxConcurrentRequests: try object.integer("maxConcurrentRequests"),
            totalRequests: try object.integer("totalRequests"),
            totalDuration: try object.integer("totalDuration"),
            responseTimeThreshold: try object.integer("responseTimeThreshold"),
            successRateThreshold: try object.integer("successRateThreshold"))
    }

    private static func responseTimes(
        _ object: AnswerValue
    ) throws(MalformedAnswer) -> PerformanceTestResultResponse.ResponseTimes {
        PerformanceTestResultResponse.ResponseTimes(
            average: try object.integer("average"), p50: try object.integer("p50"),
            p90: try object.integer("p90"), p95: try object.integer("p95"), p99: try object.integer("p99"))
    }
}
