/// The kind of an outcome. The raw values are the numbers in the file.
public enum OutcomeKind: UInt32, Sendable, Hashable, CaseIterable {
    /// No message of ours: the choice is left to Apple's own fallback.
    case nothing = 0
    case message = 1
    /// Another plan, with a message.
    case `switch` = 2
    /// A promotional offer, with a message.
    case offer = 3
    /// A change through the Advanced Commerce API, with a message.
    case advancedCommerce = 4

    /// The kind as a word of the rules language.
    public var name: String {
        switch self {
        case .nothing: "none"
        case .message: "message"
        case .switch: "switch"
        case .offer: "offer"
        case .advancedCommerce: "advancedCommerce"
        }
    }
}
