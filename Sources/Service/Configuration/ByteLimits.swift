/// The `limits` object: how many bytes are accepted, beyond which a request or file is refused.
public struct ByteLimits: Sendable, Hashable {
    /// `messageBodyBytes`: body of a retention-message request; Apple's are about 6 KB.
    public var messageBodyBytes: Int = 64 << 10
    /// `notificationBodyBytes`: body of a notification; transactions inside make it larger.
    public var notificationBodyBytes: Int = 512 << 10
    /// `rulesBytes`: one `*.rules` file.
    public var rulesBytes: Int = 64 << 20
    /// `factsBytes`: one `*.facts` file.
    public var factsBytes: Int = 16 << 30
    /// `sealCopyBytes`: a file up to this size is copied into sealed memory, a larger one into a
    /// file without a name in `stateDirectory`.
    public var sealCopyBytes: Int = 2 << 30

    /// The defaults.
    public init() {}
}
