public import Vocabulary

/// Why the anchors cannot be used.
public enum AnchorError: CodedError, Hashable {
    /// A built-in root does not match its fingerprint: the binary is damaged.
    case damaged
    /// The policy has no anchor at all.
    case none
    /// libcrypto could not load the anchor.
    case unusable

    /// The stable code: `anchors-` and the name of the case.
    public var code: String {
        switch self {
        case .damaged: "anchors-damaged"
        case .none: "anchors-none"
        case .unusable: "anchors-unusable"
        }
    }
}
