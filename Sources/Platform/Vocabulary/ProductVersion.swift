/// The version that both executables print.
public enum ProductVersion {
    /// The version as in a git tag, without a leading `v`.
    public static let text = "0.1.0"
}
