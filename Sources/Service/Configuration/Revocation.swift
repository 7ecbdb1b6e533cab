/// Whether revocation of certificates is asked for.
public enum Revocation: String, Sendable, Hashable, CaseIterable {
    /// Never; the only value accepted yet.
    case off
}
