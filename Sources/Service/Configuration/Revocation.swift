/// Whether the service asks if certificates were revoked.
public enum Revocation: String, Sendable, Hashable, CaseIterable {
    /// Never. This version accepts no other value.
    case off
}
