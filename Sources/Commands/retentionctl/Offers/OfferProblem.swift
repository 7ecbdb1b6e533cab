internal import Vocabulary

/// The reason why a text is not a signature that can be checked.
enum OfferProblem: CodedError, CustomStringConvertible {
    /// The text is neither a JWS nor a JSON object with a signature in it.
    case notASignature
    /// The JWS does not consist of three parts in base64url, of which the first two are JSON objects and the third has
    /// 64 bytes.
    case jwsMalformed
    /// A required member is missing.
    case memberMissing(String)
    /// A member does not have the required value.
    case memberWrong(String, expected: String)
    /// A required member is empty.
    case memberEmpty(String)
    /// Apple documents no member of this name.
    case memberUnknown(String)
    /// The signature has another form than the user asked for.
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
        case .memberUnknown(let name): "\(name) is not a member that Apple knows"
        case .otherForm(let form): "it is \(form.rawValue)"
        }
    }
}

/// The forms of signatures in a RealtimeResponseBody. The raw values are the names of their members.
enum OfferForm: String {
    case v1 = "promotionalOfferSignatureV1"
    case v2 = "promotionalOfferSignatureV2"
    case advancedCommerce = "advancedCommerceData"
}
