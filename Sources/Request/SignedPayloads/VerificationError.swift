public import Cryptography
public import Vocabulary

/// Why the verifier does not accept a payload, with a detail where there is one.
public struct VerificationError: CodedError, Hashable {
    /// The reason, whose code the client gets.
    public let refusal: Refusal
    /// What the refusal is about; nil when the code says everything.
    public let detail: Detail?

    /// What a refusal is about. The only values from outside in it are an app's number and its bundle identifier, which
    /// are public and come from a payload with a valid signature.
    public enum Detail: Sendable, Hashable, CustomStringConvertible {
        /// The failure that OpenSSL found, for `chain-invalid`.
        case chain(ChainFailure)
        /// The name of the member, for `payload-member-missing` and `payload-member-mistyped`.
        case member(String)
        /// The appAppleId that is not configured, for `app-unknown` and `app-differs`.
        case app(Int64)
        /// The bundle identifier that is not configured, or not so, for `app-unknown`, `app-differs`, `anchor-not-for-app` and
        /// `environment-not-configured`.
        case bundle(String)
        /// A bundle identifier that is configured, with an appAppleId that is not its own, for `app-unknown`; nil for none.
        case bundleAndApp(String, Int64?)

        /// The text of the detail for a log line.
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

    /// Makes an error without a detail, because the code says everything.
    static func plain(_ refusal: Refusal) -> VerificationError { VerificationError(refusal) }

    /// The stable code.
    public var code: String { refusal.code }
}
