public import Vocabulary

/// Why anchors cannot be used.
public enum AnchorError: CodedError, Hashable {
    /// A built-in root does not have its fingerprint: the binary is damaged.
    case damaged
    /// There is no anchor at all.
    case none
    /// libcrypto could not take the anchor.
    case unusable

    /// `anchors-` and the case.
    public var code: String {
        switch self {
        case .damaged: "anchors-damaged"
        case .none: "anchors-none"
        case .unusable: "anchors-unusable"
        }
    }
}
