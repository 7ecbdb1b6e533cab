internal import OfferSigning

/// What stands in an answer that is shown where the service's own has a signature.
enum ShownSignature {
    /// Made by the key that was given.
    case real(OutcomeSignature)
    /// Words.
    case placeholder(OutcomeSignature)

    var signature: OutcomeSignature {
        switch self {
        case .real(let signature), .placeholder(let signature): signature
        }
    }

    /// Which of the two it is.
    var name: String {
        switch self {
        case .real: "real"
        case .placeholder: "placeholder"
        }
    }

    /// The same for people.
    var text: String {
        switch self {
        case .real: "real, made for this answer; the service makes a new one for each request"
        case .placeholder: "a placeholder; --signing-key shows a real one"
        }
    }
}
