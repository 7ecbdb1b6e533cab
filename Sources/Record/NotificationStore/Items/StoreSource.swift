/// How the program got a signed payload. The raw values are what the tables have.
public enum StoreSource: String, Sendable, Hashable, CaseIterable {
    /// Apple sent it to the notification URL.
    case push
    /// Apple's notification history returned it.
    case history
    /// An operator imported it from a file or another store.
    case `import`
    /// A call of the App Store Server API returned it.
    case api
}
