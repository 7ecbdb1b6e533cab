public import Cryptography
public import System

/// Why the verifier does not accept a signed payload. The service sends the code of each case to the client; codes
/// never change.
public enum Refusal: String, CodedError, Hashable, CaseIterable {
    // Checked before any key is used.
    case bodyNotJSON = "body-not-json"
    case signedPayloadMissing = "signed-payload-missing"
    case notificationVersion1 = "notification-version-1"
    case notThreeParts = "jws-not-three-parts"
    case badBase64URL = "jws-bad-base64url"
    case headerNotJSON = "jws-header-not-json"
    case algorithmMissing = "jws-alg-missing"
    case x5cMissing = "jws-x5c-missing"
    case x5cNotBase64 = "x5c-not-base64"
    case criticalHeader = "jws-crit-not-understood"
    case algorithmNotES256 = "jws-alg-not-es256"
    case x5cCount = "x5c-count-not-3"
    case x5cNotDER = "x5c-not-der"
    // Checks of the chain and of the signature.
    case anchorUnknown = "anchor-unknown"
    case chainBudget = "chain-budget"
    case chainInvalid = "chain-invalid"
    case intermediateKey = "intermediate-key-unsuitable"
    case leafKey = "leaf-key-not-p256"
    case leafUsage = "leaf-usage-unsuitable"
    case leafMarkerMissing = "leaf-marker-missing"
    case intermediateMarkerMissing = "intermediate-marker-missing"
    case signatureMalformed = "signature-not-64-bytes"
    case signatureInvalid = "signature-invalid"
    // Checks of the signed payload, which is read only after the signature is verified.
    case payloadNotJSON = "payload-not-json"
    case payloadMemberMissing = "payload-member-missing"
    case payloadMemberMistyped = "payload-member-mistyped"
    case requestIdentifierNotUUID = "request-identifier-not-uuid"
    // Checks that the payload is for this service and valid now.
    case certificateNotYetValid = "certificate-not-yet-valid"
    case certificateExpired = "certificate-expired"
    case appUnknown = "app-unknown"
    case anchorNotForApp = "anchor-not-for-app"
    case environmentNotConfigured = "environment-not-configured"
    case appDiffers = "app-differs"
    case environmentDiffers = "environment-differs"
    case ownerUnknown = "owner-unknown"
    case signedDateTooOld = "signed-date-too-old"
    case signedDateAhead = "signed-date-ahead"
    // A fault of the service, never of the sender.
    case opensslFailure = "crypto-openssl-failure"

    public var code: String { rawValue }

    public var exitStatus: ExitStatus { .no }

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

public enum VerificationStep: String, Sendable, Hashable, CaseIterable {
    case body
    case compactSerialization = "compact serialization"
    case header
    case certificates
    case anchor
    case chain
    case markers
    case signature
    case payload
    case validity
    case identity
    case freshness
}

public struct VerificationError: CodedError, Hashable {
    public let refusal: Refusal
    public let detail: Detail?

    /// What a refusal is about. The only values from outside in it are an app's number and its bundle identifier, which
    /// are public and come from a payload with a valid signature.
    public enum Detail: Sendable, Hashable, CustomStringConvertible {
        case chain(ChainFailure)
        case member(String)
        case app(Int64)
        case bundle(String)
        case bundleAndApp(String, Int64?)

        public var description: String {
            switch self {
            case .chain(let failure): failure.explanation
            case .member(let name): name
            case .app(let number): "appAppleId \(number)"
            case .bundle(let identifier): "bundleId \(DisplayText.escaped(identifier))"
            case .bundleAndApp(let identifier, let number):
                "bundleId \(DisplayText.escaped(identifier)), "
                    + (number.map { "appAppleId \($0)" } ?? "no appAppleId")
            }
        }
    }

    init(_ refusal: Refusal, _ detail: Detail? = nil) {
        self.refusal = refusal
        self.detail = detail
    }

    static func plain(_ refusal: Refusal) -> VerificationError { VerificationError(refusal) }

    public var code: String { refusal.code }

    public var findings: [Finding] {
        detail.map { [Finding(code: code, $0.description)] } ?? refusal.findings
    }
}
