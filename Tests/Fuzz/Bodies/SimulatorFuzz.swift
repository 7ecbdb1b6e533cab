@testable internal import AppStoreSimulator
internal import Cryptography
internal import System
internal import Vocabulary

/// The body of the simulator's fuzzer: reads requests, tokens and state files that may be anything.
///
/// The first byte of an input says what it is: `R` a request with a valid token (`METHOD target`, a line with the media type,
/// then the body), `A` the value of Authorization, `S` a state file, `U` a URL.
public struct SimulatorFuzz {
    private let configuration: SimulatorConfiguration
    private let token: String
    private static let now: Int64 = 1_763_830_000_000

    /// Makes a team with one app and a valid token.
    public init() throws {
        let key = try SigningKey.generate()
        let keys = TokenKeys(issuerId: "I", verifiers: ["K": try ES256Verifier(keyOf: key)])
        configuration = SimulatorConfiguration(
            keys: keys, apps: [.init(bundleId: "com.example.app", appAppleId: 1)])
        let parts = [
            #"{"alg":"ES256","kid":"K"}"#,
            #"{"aud":"appstoreconnect-v1","bid":"com.example.app","iss":"I","exp":\#(Self.now / 1000 + 60)}"#,
        ].map { String(decoding: Base64URL.encode(Array($0.utf8).span), as: UTF8.self) }
        let input = Array(parts.joined(separator: ".").utf8)
        let signature = try key.sign(input.span)
        let text = String(decoding: Base64URL.encode(signature.span), as: UTF8.self)
        token = "Bearer \(parts[0]).\(parts[1]).\(text)"
    }

    /// Takes any bytes and never traps.
    ///
    /// - Returns: false when an answer has a status that Apple does not document, a token is taken that nobody signed, or a state
    ///   changes on its way through a file.
    public func input(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0 else { return true }
        let rest = Array(bytes.copied().dropFirst())
        switch bytes[0] {
        case UInt8(ascii: "A"):
            let text = String(decoding: rest, as: UTF8.self)
            return configuration.keys.bundleId(of: text, nowMilliseconds: Self.now) == nil || text == token
        case UInt8(ascii: "S"):
            guard let state = try? SimulatorState(json: rest) else { return true }
            return (try? SimulatorState(json: state.json)) == state
        case UInt8(ascii: "U"):
            let host = EndpointHost(url: String(decoding: rest, as: UTF8.self))
            return host?.name.isEmpty != true
        default: return request(rest)
        }
    }

    private func request(_ bytes: [UInt8]) -> Bool {
        let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        let words = lines[0].split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        let text = { (bytes: ArraySlice<UInt8>) in String(decoding: bytes, as: UTF8.self) }
        var simulator = AppStoreSimulator(configuration: configuration)
        var random = SystemRandomNumberGenerator()
        for environment in [Environment.sandbox, .sandbox, .production] {
            let request = SimulatorRequest(
                environment: environment, method: text(words[0]),
                target: words.count > 1 ? text(words[1]) : "",
                contentType: lines.count > 1 ? text(lines[1]) : nil, authorization: token,
                body: lines.count > 2 ? Array(lines[2]) : [])
            let answer = simulator.answer(request, at: Self.now, using: &random)
            guard [200, 400, 403, 404, 409].contains(answer.status) else { return false }
        }
        return (try? SimulatorState(json: simulator.state.json)) == simulator.state || simulator.isTesting
    }
}

extension AppStoreSimulator {
    /// True while a performance test runs, which has failed when the state is read again.
    fileprivate var isTesting: Bool { state.apps.values.contains { $0.tests.contains { $0.outcome == nil } } }
}
