/// The state of a message or an image in Apple's review.
///
/// Source: Apple, messageState and imageState. A state can change between two requests in any direction. In Sandbox,
/// Apple approves everything by itself.
public enum ReviewState: RawRepresentable, Sendable, Hashable {
    /// Apple has not reviewed it yet.
    case pending
    /// Apple approved it. It may be shown.
    case approved
    /// Apple rejected it. Apple gives no reason.
    case rejected
    /// A state that this version does not know, as Apple spells it.
    case other(String)

    /// Reads a state as Apple spells it. Keeps a text that is none of the known states.
    public init(rawValue: String) {
        self =
            switch rawValue {
            case "PENDING": .pending
            case "APPROVED": .approved
            case "REJECTED": .rejected
            default: .other(rawValue)
            }
    }

    /// The state as Apple spells it.
    public var rawValue: String {
        switch self {
        case .pending: "PENDING"
        case .approved: "APPROVED"
        case .rejected: "REJECTED"
        case .other(let text): text
        }
    }
}
