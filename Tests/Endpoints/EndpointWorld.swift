import AppStoreSimulator
import CertificateAuthority
import Cryptography
import FastCGI
import Logging
@testable import Pool
import Rules
import Support
import System

/// A handler over a real configuration and real rules in a temporary folder. The endpoints read the clock, so the
/// chain is made to be valid at the time of the test.
struct EndpointWorld {
    let folder: TemporaryDirectory
    let chain: AppleShapedChain
    let counters: SharedCounters
    let handler: EndpointHandler
    let log = RecordedLog()
    let now = Clock.wallMilliseconds()

    init(
        settings: String = "",
        app: String = "",
        rules: String? = Self.rules,
        files: [(name: String, bytes: [UInt8])] = [],
        slowMilliseconds: Int64 = 0,
        counters shared: SharedCounters? = nil,
        queue: @escaping () -> ListenQueue? = { nil }
    ) throws {
        folder = try TemporaryDirectory()
        chain = try AppleShapedChain.make(
            notBeforeMilliseconds: now - 86_400_000, notAfterMilliseconds: now + 86_400_000)
        try folder.makeDirectory("data")
        try folder.makeDirectory("state")
        try folder.write(chain.root.pem, to: "root.pem")
        try folder.write(
            """
            {"listen": "unix:\(folder.path)/run.sock", "dataDirectory": "\(folder.path)/data",
             "stateDirectory": "\(folder.path)/state", "pidFile": "\(folder.path)/pid",
             "anchors": ["\(folder.path)/root.pem"],
             "apps": [{"appAppleId": \(SignedBody.appAppleId), "bundleId": "com.example.app",
                       "environments": ["Sandbox", "Production"]\(app.replacing("FOLDER", with: folder.path))}]\(settings)}
            """,
            to: "retentiond.json"
        )
        if let rules {
            try folder.write(rules, to: "data/app.rules.json")
        }
        for file in files { try folder.write(file.bytes, to: "data/\(file.name)") }
        try folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        counters = try shared ?? SharedCounters(codes: RequestObserver.codes, startedAt: now)
        let slot = counters.claimWorker(generation: 1, atMilliseconds: now)
        if let slot { counters.nameWorker(slot, processNumber: 4711) }
        let generation = try Generation(loadingConfigurationAt: folder.path(of: "retentiond.json"))
        handler = try EndpointHandler(
            generation: generation,
            observer: RequestObserver(
                counters: counters, logger: log.logger, slot: slot, slowMilliseconds: slowMilliseconds,
                queue: queue), recorder: try DecisionRecorder(generation, counters, log.logger))
    }

    /// Ends the turn, waits until all records are in the log, and ends the log.
    func finishRecords() {
        handler.turnEnded(FastCGICounts())
        handler.finishRecords(within: 60_000)
    }

    /// Writes the verdict of a load, as the supervisor does.
    func publish(_ code: String? = nil, atMilliseconds time: Int64) throws {
        let refusal = code.map { ServiceError(code: $0, "") }
        let verdict = PoolVerdict(
            sequence: 1, startedMilliseconds: 1, source: .pushed, refusal: refusal, serving: 1)
        try VerdictFile(handler.generation.configuration).write(verdict, wallMilliseconds: time)
    }

    /// The rules that the handler serves; nil when there are none.
    var rulesFile: RulesFile? {
        handler.generation.rules(appAppleId: SignedBody.appAppleId, environment: .sandbox)
    }

    /// The parameters of a valid request.
    func parameters(_ changes: [String: String?] = [:]) -> [String: String] {
        var parameters = [
            "RETENTION_ENDPOINT": "retention-message", "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": "application/json", "HTTP_CONTENT_ENCODING": "", "REQUEST_ID": "test",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters
    }

    func body(_ change: (inout RequestPayload) -> Void = { _ in }) throws -> [UInt8] {
        try SignedBody.make(SignedBody.payload(signedDate: now).with(change), chain: chain)
    }

    func answer(
        _ parameters: [String: String],
        _ body: [UInt8],
        reading: BodyReading? = nil,
        change: (inout GatewayDouble) -> Void = { _ in }
    ) -> GatewayResponse {
        var request = GatewayDouble(parameters, body: body)
        change(&request)
        request.reading = reading
        request.acceptedWallMilliseconds = Clock.wallMilliseconds()
        request.acceptedMonotonicNanoseconds = Clock.monotonicNanoseconds()
        return handler.answer(&request)
    }

    static let rules = """
        {"format": 1, "metadata": {"revision": "r7"}, "app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "Sandbox",
         "messages": {"m": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}}},
         "rules": [{"id": "quiet", "when": {"fact": "productId", "eq": "quiet"}, "serve": "none"}],
         "default": {"serve": {"message": "m"}}}
        """
}
