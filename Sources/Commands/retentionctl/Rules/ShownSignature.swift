/// What stands in an answer that is shown where the service's own has a signature.
enum ShownSignature: String {
    /// Made by the key that was given.
    case real
    /// Words.
    case placeholder

    /// The same for people.
    var text: String {
        switch self {
        case .real: "real, made for this answer; the service makes a new one for each request"
        case .placeholder: "a placeholder; --signing-key shows a real one"
        }
    }
}
