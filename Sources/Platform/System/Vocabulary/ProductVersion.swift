public enum ProductVersion {
    public static let text = "0.1.0"
}
