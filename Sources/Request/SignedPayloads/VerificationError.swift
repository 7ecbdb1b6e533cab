public import Cryptography
public import Vocabulary

/// Why a payload is not accepted, and what the reason is about.
public struct VerificationError: CodedError, Hashable {
    /// The reason.
    public let refusal: Refusal
    /// What the reason is about; nil where the code says it all.
    public let detail: Detail?

    /// What a refusal is about. Of what came from outside it holds the number of an app alone, which is public, and whose
    /// payload was signed.
    public enum Detail: Sendable, Hashable, CustomStringConvertible {
        /// Of `chain-invalid`: what OpenSSL found.
        case chain(ChainFailure)
        /// Of `payload-member-missing` and `payload-member-mistyped`: the member's name.
        case member(String)
        /// Of `app-unknown`: the appAppleId that is not configured.
        case app(Int64)

        /// The words for a log line.
        public var description: String {
            switch self {
            case .chain(let failure): failure.explanation
            case .member(let name): name
            case .app(let number): "appAppleId \(number)"
            }
        }
    }

    init(_ refusal: Refusal, _ detail: Detail? = nil) {
        self.refusal = refusal
        self.detail = detail
    }

    /// A refusal whose code says it all.
    static func plain(_ refusal: Refusal) -> VerificationError { VerificationError(refusal) }

    /// The stable code.
    public var code: String { refusal.code }
}
