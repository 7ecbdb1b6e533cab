internal import Vocabulary

/// Why a text is no signature that could be checked.
enum OfferProblem: CodedError, CustomStringConvertible {
    /// Neither a JWS nor a JSON object with a signature in it.
    case notASignature
    /// The JWS does not have three parts in base64url, the first two JSON objects, the third 64 bytes.
    case jwsMalformed
    /// A member that must be there is not.
    case memberMissing(String)
    /// A member has another value than it must.
    case memberWrong(String, expected: String)
    /// A member that must say something says nothing.
    case memberEmpty(String)
    /// A member that Apple does not know.
    case memberUnknown(String)
    /// A signature of the other form than was asked for.
    case otherForm(OfferForm)

    var code: String {
        switch self {
        case .notASignature: "offer.not-a-signature"
        case .jwsMalformed: "offer.jws-malformed"
        case .memberMissing: "offer.member-missing"
        case .memberWrong, .memberEmpty: "offer.member-wrong"
        case .memberUnknown: "offer.member-unknown"
        case .otherForm: "offer.other-form"
        }
    }

    var description: String {
        switch self {
        case .notASignature: "neither a JWS nor a JSON object with a signature in it"
        case .jwsMalformed:
            "not three parts in base64url, the first two JSON objects and the third 64 bytes"
        case .memberMissing(let name): "\(name) is missing"
        case .memberWrong(let name, let expected): "\(name) is not \(expected)"
        case .memberEmpty(let name): "\(name) is empty"
        case .memberUnknown(let name): "\(name) is no member that Apple knows"
        case .otherForm(let form): "it is \(form.rawValue)"
        }
    }
}

/// The forms of signatures in a RealtimeResponseBody, by the names of their members.
enum OfferForm: String {
    case v1 = "promotionalOfferSignatureV1"
    case v2 = "promotionalOfferSignatureV2"
    case advancedCommerce = "advancedCommerceData"
}
