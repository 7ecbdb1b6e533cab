/// The version that both executables print.
public enum ProductVersion {
    /// As in a tag, without a leading `v`.
    public static let text = "0.1.0"
}
