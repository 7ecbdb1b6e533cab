package import Cryptography
internal import JSON
package import System

package struct AppStoreServer: Sendable, Hashable {
    package let environment: Environment
    /// The scheme, the host and perhaps the port, without a slash at the end.
    package let baseURL: String

    package init(environment: Environment, baseURL: String? = nil) throws(AppStoreServerAPIError) {
        let apple: String
        switch environment {
        // Source: Apple, server update of 2026-05-05. The old names with "itunes" still work.
        case .production: apple = "https://api.storekit.apple.com"
        case .sandbox: apple = "https://api.storekit-sandbox.apple.com"
        case .xcode, .localTesting: throw .invalid("the API does not exist in \(environment.rawValue)")
        }
        self.environment = environment
        guard let baseURL else {
            self.baseURL = apple
            return
        }
        let text = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        guard let url = ReceiverURL(text), url.isSecure || url.isLocal,
            url.text.lowercased() == "\(url.scheme)://\(url.authority)"
        else {
            throw .invalid("the base URL must be https://host[:port]; http is possible for 127.0.0.1 alone")
        }
        self.baseURL = text.lowercased()
    }
}

/// An In-App Purchase key of App Store Connect and its identifiers. One key works in both environments.
package struct AppStoreCredentials: Sendable, CustomStringConvertible {
    package let keyId: String
    package let issuerId: String
    package let bundleId: String
    let key: SigningKey

    package init(key: SigningKey, keyId: String, issuerId: String, bundleId: String) {
        self.key = key
        self.keyId = keyId
        self.issuerId = issuerId
        self.bundleId = bundleId
    }

    package var description: String { "key \(keyId) of issuer \(issuerId) for \(bundleId)" }
}

/// One thread uses it. Source: Apple, Generating JSON Web Tokens for API requests.
struct TokenMaker {
    /// The validity of a token in seconds. Apple allows 60 minutes; its libraries use 5.
    static let validitySeconds: Int64 = 300
    static let audience = "appstoreconnect-v1"

    private let credentials: AppStoreCredentials
    private let signer: ES256Signer
    private let header: [UInt8]

    init(_ credentials: AppStoreCredentials) throws(CryptographyError) {
        self.credentials = credentials
        signer = try ES256Signer(credentials.key)
        header = JWSSigning.encodedHeader(keyId: credentials.keyId)
    }

    func token(nowMilliseconds: Int64) throws(CryptographyError) -> [UInt8] {
        let seconds = nowMilliseconds / 1000
        let claims = JSONNode.object([
            ("iss", .string(credentials.issuerId)), ("iat", .integer(seconds)),
            ("exp", .integer(seconds + Self.validitySeconds)), ("aud", .string(Self.audience)),
            ("bid", .string(credentials.bundleId)),
        ])
        return try JWSSigning.token(header: header, claims: claims.serialized().span, key: signer)
    }
}
