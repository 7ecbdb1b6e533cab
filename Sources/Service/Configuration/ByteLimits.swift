/// The `limits` object: sizes in bytes. The service refuses a request or a file that is larger.
public struct ByteLimits: Sendable, Hashable {
    /// `messageBodyBytes`: the largest body of a retention-message request. Apple's are about 6 KB.
    public var messageBodyBytes: Int = 64 << 10
    /// `notificationBodyBytes`: the largest body of a notification. The transactions inside make it larger.
    public var notificationBodyBytes: Int = 512 << 10
    /// `rulesBytes`: the largest `*.rules.json` file.
    public var rulesBytes: Int = 64 << 20
    /// `factsBytes`: the largest `*.facts` file.
    public var factsBytes: Int = 16 << 30

    /// Creates the default limits.
    public init() {}
}
