public import Vocabulary

/// Why the verifier does not accept a signed payload. The service sends the code of each case to the client; codes
/// never change.
public enum Refusal: CodedError, Hashable, CaseIterable {
    // Checked before any key is used.
    case bodyNotJSON, signedPayloadMissing, notificationVersion1, notThreeParts, badBase64URL
    case headerNotJSON, algorithmMissing, x5cMissing, x5cNotBase64
    case criticalHeader, algorithmNotES256, x5cCount, x5cNotDER
    // Checks of the chain and of the signature.
    case anchorUnknown, chainBudget, chainInvalid, intermediateKey, leafKey, leafUsage
    case leafMarkerMissing, intermediateMarkerMissing
    case signatureMalformed, signatureInvalid
    // Checks of the signed payload, which is read only after the signature is verified.
    case payloadNotJSON, payloadMemberMissing, payloadMemberMistyped, requestIdentifierNotUUID
    // Checks that the payload is for this service and valid now.
    case certificateNotYetValid, certificateExpired
    case appUnknown, anchorNotForApp, environmentNotConfigured, appDiffers, environmentDiffers, ownerUnknown
    case signedDateTooOld, signedDateAhead
    // A fault of the service, never of the sender.
    case opensslFailure

    /// The stable code.
    public var code: String {
        switch self {
        case .bodyNotJSON: "body-not-json"
        case .signedPayloadMissing: "signed-payload-missing"
        case .notificationVersion1: "notification-version-1"
        case .notThreeParts: "jws-not-three-parts"
        case .badBase64URL: "jws-bad-base64url"
        case .headerNotJSON: "jws-header-not-json"
        case .algorithmMissing: "jws-alg-missing"
        case .x5cMissing: "jws-x5c-missing"
        case .x5cNotBase64: "x5c-not-base64"
        case .criticalHeader: "jws-crit-not-understood"
        case .algorithmNotES256: "jws-alg-not-es256"
        case .x5cCount: "x5c-count-not-3"
        case .x5cNotDER: "x5c-not-der"
        case .anchorUnknown: "anchor-unknown"
        case .chainBudget: "chain-budget"
        case .chainInvalid: "chain-invalid"
        case .intermediateKey: "intermediate-key-unsuitable"
        case .leafKey: "leaf-key-not-p256"
        case .leafUsage: "leaf-usage-unsuitable"
        case .leafMarkerMissing: "leaf-marker-missing"
        case .intermediateMarkerMissing: "intermediate-marker-missing"
        case .signatureMalformed: "signature-not-64-bytes"
        case .signatureInvalid: "signature-invalid"
        case .payloadNotJSON: "payload-not-json"
        case .payloadMemberMissing: "payload-member-missing"
        case .payloadMemberMistyped: "payload-member-mistyped"
        case .requestIdentifierNotUUID: "request-identifier-not-uuid"
        case .certificateNotYetValid: "certificate-not-yet-valid"
        case .certificateExpired: "certificate-expired"
        case .appUnknown: "app-unknown"
        case .anchorNotForApp: "anchor-not-for-app"
        case .environmentNotConfigured: "environment-not-configured"
        case .appDiffers: "app-differs"
        case .environmentDiffers: "environment-differs"
        case .ownerUnknown: "owner-unknown"
        case .signedDateTooOld: "signed-date-too-old"
        case .signedDateAhead: "signed-date-ahead"
        case .opensslFailure: "crypto-openssl-failure"
        }
    }

    /// The step of verification that refused the payload.
    public var step: VerificationStep {
        switch self {
        case .bodyNotJSON, .signedPayloadMissing, .notificationVersion1: .body
        case .notThreeParts, .badBase64URL: .compactSerialization
        case .headerNotJSON, .criticalHeader, .algorithmMissing, .algorithmNotES256: .header
        case .x5cMissing, .x5cNotBase64, .x5cCount, .x5cNotDER: .certificates
        case .anchorUnknown: .anchor
        case .chainBudget, .chainInvalid, .intermediateKey, .leafKey, .leafUsage, .opensslFailure: .chain
        case .leafMarkerMissing, .intermediateMarkerMissing: .markers
        case .signatureMalformed, .signatureInvalid: .signature
        case .payloadNotJSON, .payloadMemberMissing, .payloadMemberMistyped, .requestIdentifierNotUUID:
            .payload
        case .certificateNotYetValid, .certificateExpired: .validity
        case .appUnknown, .anchorNotForApp, .environmentNotConfigured, .appDiffers, .environmentDiffers,
            .ownerUnknown:
            .identity
        case .signedDateTooOld, .signedDateAhead: .freshness
        }
    }
}

/// The steps of verification, in the order in which they are taken.
public enum VerificationStep: String, Sendable, Hashable, CaseIterable {
    /// The request body: a JSON object with the string `signedPayload`. A notification of version 1 has none.
    case body
    /// The JWS: three parts in strict base64url (RFC 7515 section 3.1).
    case compactSerialization = "compact serialization"
    /// The JOSE header: a JSON object with unique names, without `crit`, and with `alg` ES256.
    case header
    /// The certificates: `x5c` has three, in base64 DER.
    case certificates
    /// The anchor: x5c[2] is a configured anchor, byte for byte.
    case anchor
    /// The chain: signatures, constraints and keys (RFC 5280).
    case chain
    /// Apple's marker extensions on leaf and intermediate.
    case markers
    /// The ES256 signature over the received bytes.
    case signature
    /// The payload's JSON and the types of its members.
    case payload
    /// The validity periods of all three certificates.
    case validity
    /// The app and the environment, which must be configured.
    case identity
    /// The age of `signedDate` by the server's clock.
    case freshness
}
