@testable import AppStoreServerAPI
@testable import AppStoreSimulator
import CertificateAuthority
import Cryptography
import HTTPClient
import JSON
import NotificationStore
import Recovery
import SignedPayloads
import Support
import System
import Testing

/// Apple's server and its clock, without a network: the simulator, asked with the calls of the client and read as the client
/// reads. The calls keep to the rates of the client, and the clock goes on while they wait.
final class SimulatedApple: NotificationRecoveryAPI {
    static let bundleId = "com.example.app"
    static let number: Int64 = 6_745_974_591
    /// When the tests begin: 2026-11-21T00:00:00Z.
    static let start: Int64 = 1_795_219_200_000
    static let hour: Int64 = 3_600_000
    /// The error of a call before which the program is killed.
    static let killed = AppStoreServerAPIError.transport(.other("killed"))

    let environment: Environment
    var simulator: AppStoreSimulator
    var now = SimulatedApple.start
    var random = SeededGenerator(seed: 13)
    /// The number of calls after which the program is killed; nil for never.
    var callsLeft: Int?
    /// The calls so far, by their statuses.
    private(set) var statuses: [Int: Int] = [:]
    /// Changes an answer before it is read.
    var change: (String) -> String = { $0 }
    private let key: SigningKey
    private let chain: AppleShapedChain
    private var last: (now: Int64, token: String)?

    init(_ environment: Environment = .production) throws {
        self.environment = environment
        key = try SigningKey.generate()
        chain = try AppleShapedChain.make(
            notBeforeMilliseconds: Self.start - 400 * 24 * Self.hour,
            notAfterMilliseconds: Self.start + 4000 * 24 * Self.hour)
        let verifier = try ES256Verifier(keyOf: key)
        let keys = TokenKeys(issuerId: "I", verifiers: ["K": verifier])
        var configuration = SimulatorConfiguration(
            keys: keys, apps: [.init(bundleId: Self.bundleId, appAppleId: Self.number)])
        configuration.signer = try SignedRequestBuilder(chain: chain)
        simulator = AppStoreSimulator(configuration: configuration)
        _ = try administer("notification-url", #"{"url":"https://localhost:9443/notifications"}"#)
    }

    /// Returns a verifier that trusts this server.
    func verifier(bundleId: String = SimulatedApple.bundleId) throws -> SignedPayloadVerifier {
        let app = AppIdentity(
            appAppleId: Self.number, bundleId: bundleId, environments: [.production, .sandbox])
        let root = try chain.root.certificate()
        let policy = VerificationPolicy(anchors: [root], apps: [app], unseenChains: .unlimited)
        return try SignedPayloadVerifier(policy: policy)
    }

    private func administer(_ name: String, _ body: String) throws -> SimulatorAnswer {
        let request = SimulatorRequest(
            environment: environment, method: "POST", target: AppStoreSimulator.administrationPrefix + name,
            contentType: "application/json", body: Array(body.utf8))
        let answer = simulator.answer(request, at: now, using: &random)
        try #require(answer.status == 200)
        return answer
    }

    /// Makes notifications of events of subscribers.
    func notify(_ events: [(kind: String, subscriber: Int64)]) throws {
        let list = events.map { #"{"kind":"\#($0.kind)","subscriber":\#($0.subscriber)}"# }
        _ = try administer("notifications", #"{"events":[\#(list.joined(separator: ","))]}"#)
    }

    /// Makes the attempts that are due; `receive` says whether the receiver answers with success.
    func deliver(_ receive: ([UInt8]) -> Bool) {
        while true {
            let due = simulator.takeDueNotifications(at: now, count: 100)
            guard !due.isEmpty else { return }
            for delivery in due {
                let result: SendAttemptResult = receive(delivery.body) ? .success : .noResponse
                simulator.finishDelivery(delivery, result: result, at: now)
            }
        }
    }

    /// The JWS of all notifications that the simulator has made, from its state.
    func everything() throws -> [String] {
        let limits = JSONLimits(byteCount: 1 << 28, depth: 16)
        let root = try JSONDocument(parsing: simulator.state.json.span, limits: limits).root
        let app = try #require(root.member("apps")?.member(named: Self.bundleId))
        let state = try #require(app.member(named: environment.rawValue))
        let list = try #require(state.member("notices")?.member("notifications"))
        return list.elements.compactMap { $0.member("jws")?.string }
    }

    private static func encoded(_ text: String) -> String {
        String(decoding: Base64URL.encode(Array(text.utf8).span), as: UTF8.self)
    }

    private func token() throws -> String {
        if let last, last.now == now { return last.token }
        let claims =
            #"{"bid":"\#(Self.bundleId)","iss":"I","aud":"appstoreconnect-v1","exp":\#(now / 1000 + 300)}"#
        let input = Self.encoded(#"{"alg":"ES256","kid":"K"}"#) + "." + Self.encoded(claims)
        let signature = try key.sign(Array(input.utf8).span)
        let token = input + "." + String(decoding: Base64URL.encode(signature.span), as: UTF8.self)
        last = (now, token)
        return token
    }

    /// Makes a call and reads its answer.
    private func read<Answer: Decodable>(_ call: APICall, _ type: Answer.Type)
        throws(AppStoreServerAPIError) -> Answer
    {
        if let left = callsLeft {
            guard left > 0 else { throw Self.killed }
            callsLeft = left - 1
        }
        let answer = send(call)
        statuses[answer.status, default: 0] += 1
        guard answer.status == 200 else {
            throw .refused(Answers.refusal(status: answer.status, body: answer.body))
        }
        let body = Array(change(String(decoding: answer.body, as: UTF8.self)).utf8)
        return try MalformedAnswer.mapped(
            to: AppStoreServerAPIError.malformed, try Answers.decode(type, body))
    }

    private func send(_ call: APICall) -> SimulatorAnswer {
        var token = ""
        do {
            token = try self.token()
        } catch {
            Issue.record(error)
        }
        let request = SimulatorRequest(
            environment: environment, method: call.operation.method, target: call.path,
            contentType: call.contentType,
            authorization: "Bearer " + token, body: call.body ?? [])
        return simulator.answer(request, at: now, using: &random)
    }

    func notificationHistory(_ request: NotificationHistoryRequest, paginationToken: String?)
        throws(AppStoreServerAPIError) -> NotificationHistoryResponse
    {
        let parameters = paginationToken.map { [("paginationToken", $0)] } ?? []
        let call = try APICall(.notificationHistory, parameters, body: AppleJSON.encode(request))
        return try read(call, NotificationHistoryResponse.self)
    }

    func subscriptionStatuses(of anyTransactionId: String) throws(AppStoreServerAPIError)
        -> SubscriptionStatusesResponse
    {
        let call = try APICall(.subscriptionStatuses, [("transactionId", anyTransactionId)])
        return try read(call, SubscriptionStatusesResponse.self)
    }

    func transactionHistory(of anyTransactionId: String, revision: String?)
        throws(AppStoreServerAPIError) -> TransactionHistoryResponse
    {
        let parameters = [("transactionId", anyTransactionId)] + (revision.map { [("revision", $0)] } ?? [])
        return try read(APICall(.transactionHistory, parameters), TransactionHistoryResponse.self)
    }
}
