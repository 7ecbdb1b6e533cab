/// Whether a shown answer has a real signature or a placeholder where the service puts its signature.
enum ShownSignature: String {
    /// A signature that was made with the given key.
    case real
    /// Words in the place of the signature.
    case placeholder

    /// The description for a person.
    var text: String {
        switch self {
        case .real: "real, made for this answer; the service makes a new one for each request"
        case .placeholder: "a placeholder; --signing-key shows a real one"
        }
    }
}
