import AppStoreServerAPI
import AppStoreSimulator
import Cryptography
import JSON
import Support
import System

/// A team with keys and apps, and a simulator that the tests ask without a network.
struct Team {
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
    static let keyId = "2X9R4HXF34"
    static let bundleId = "com.example.app"
    static let closedBundleId = "com.example.closed"
    static let now: Int64 = 1_763_830_000_000

    let key: SigningKey
    var simulator: AppStoreSimulator
    var random = SeededGenerator(seed: 1)
    var now = Self.now
    /// The last token, for calls of one app at one time.
    private var last: (bundleId: String, now: Int64, token: String)?

    init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
        key = try SigningKey.generate()
        let keys = TokenKeys(issuerId: Self.issuerId, verifiers: [Self.keyId: try ES256Verifier(keyOf: key)])
        var configuration = SimulatorConfiguration(
            keys: keys,
            apps: [
                .init(bundleId: Self.bundleId, appAppleId: 6_745_974_591),
                .init(bundleId: "com.example.other", appAppleId: 2),
                .init(bundleId: Self.closedBundleId, appAppleId: 3, hasAccess: false),
            ]
        )
        change(&configuration)
        simulator = AppStoreSimulator(configuration: configuration)
    }

    /// The claims of a valid token, without `iat` as Apple's libraries for Python and Java make it.
    func claims(_ changes: [(String, JSONNode?)] = []) -> [(String, JSONNode)] {
        var claims: [(String, JSONNode)] = [
            ("bid", .string(Self.bundleId)), ("iss", .string(Self.issuerId)),
            ("aud", .string("appstoreconnect-v1")), ("exp", .integer(now / 1000 + 300)),
        ]
        for (name, value) in changes {
            claims.removeAll { $0.0 == name }
            if let value { claims.append((name, value)) }
        }
        return claims
    }

    func token(
        _ changes: [(String, JSONNode?)] = [],
        header: [(String, JSONNode)] = [
            ("alg", .string("ES256")), ("kid", .string(Team.keyId)), ("typ", .string("JWT")),
        ],
        key: SigningKey? = nil
    ) throws -> String {
        let parts = [JSONNode.object(header), .object(claims(changes))].map {
            Base64URL.encode($0.serialized().span)
        }
        let input = parts[0] + [UInt8(ascii: ".")] + parts[1]
        let signature = try (key ?? self.key).sign(input.span)
        return String(decoding: input, as: UTF8.self) + "."
            + String(decoding: Base64URL.encode(signature.span), as: UTF8.self)
    }

    /// Sends a request and returns the answer.
    mutating func send(
        _ method: String, _ path: String, _ body: TestBody = .none, in environment: Environment = .sandbox,
        bundleId: String = Team.bundleId, prefix: String = "/inApps/v1/messaging"
    ) throws -> SimulatorAnswer {
        if last?.bundleId != bundleId || last?.now != now {
            last = (bundleId, now, try token([("bid", .string(bundleId))]))
        }
        let request = SimulatorRequest(
            environment: environment, method: method, target: prefix + path, contentType: body.type,
            authorization: "Bearer \(last?.token ?? "")", body: body.bytes)
        return simulator.answer(request, at: now, using: &random)
    }

    /// Sends a request to a path outside of Retention Messaging.
    mutating func ask(
        _ method: String, _ path: String, _ body: TestBody = .none, in environment: Environment = .sandbox,
        bundleId: String = Team.bundleId
    ) throws -> SimulatorAnswer {
        try send(method, path, body, in: environment, bundleId: bundleId, prefix: "/inApps")
    }

    /// Sends a request to one of the paths that need no token.
    mutating func administer(
        _ method: String, _ name: String, _ body: TestBody = .none, in environment: Environment = .production
    ) -> SimulatorAnswer {
        let request = SimulatorRequest(
            environment: environment, method: method, target: AppStoreSimulator.administrationPrefix + name,
            contentType: body.type, body: body.bytes)
        return simulator.answer(request, at: now, using: &random)
    }
}

/// The body of a request with its media type.
enum TestBody {
    case none
    case json(String)
    case png([UInt8])
    case raw(String?, [UInt8]?)

    var type: String? {
        switch self {
        case .none: nil
        case .json: "application/json"
        case .png: "image/png"
        case .raw(let type, _): type
        }
    }

    var bytes: [UInt8]? {
        switch self {
        case .none: []
        case .json(let text): Array(text.utf8)
        case .png(let bytes): bytes
        case .raw(_, let bytes): bytes
        }
    }
}

extension SimulatorAnswer {
    /// The status and Apple's error code, as the tables of the tests write them: `200`, `404`, `400 4000161`.
    var outcome: String {
        let root = try? JSONDocument(parsing: body.span, limits: JSONLimits(byteCount: 1 << 22, depth: 8))
            .root
        guard let code = root?.member("errorCode")?.int64 else { return String(status) }
        return "\(status) \(code)"
    }

    /// The root of the body.
    var root: JSONValue? {
        try? JSONDocument(parsing: body.span, limits: JSONLimits(byteCount: 1 << 24, depth: 16)).root
    }
}
