/// The limits of this module, each with its reason. Apple's own limits are in `RetentionMessagingLimits`.
package enum SimulatorLimits {
    /// The greatest size of a PNG in bytes. Apple documents none; a public client of Apple's API stops at 20 MiB.
    package static let imageByteCount = 20 << 20
    /// The greatest size of a JSON body in bytes. The longest message has about 2,000 characters.
    package static let jsonByteCount = 64 << 10
    /// The deepest nesting of a JSON body. A message has three levels.
    static let jsonDepth = 8
    /// The greatest size of the token in bytes. A token of Apple's libraries has about 350.
    static let tokenByteCount = 4096
    /// The greatest factor by which the clock of the rates can be sped up: an hour passes in 36 ms.
    package static let speed: Int64 = 100_000
    /// The number of performance tests of an app that are kept. The oldest is forgotten.
    static let performanceTestCount = 1000
    /// The longest product identifier in characters, the limit of App Store Connect.
    static let productIdLength = 100
    /// The longest transaction identifier in digits. A 64-bit number has at most 20.
    static let transactionIdLength = 20
    /// The number of events in one request.
    static let eventCount = 500
    /// How long the token of the next page of a history is good, in milliseconds. Apple does not say how long its are.
    static let pageTokenMilliseconds: Int64 = 86_400_000
    /// The number of transactions and of notifications on one page of a history. Source: Apple.
    static let pageCount = 20
    /// The greatest size of a state file in bytes: 2,000 messages of several apps have some megabytes.
    package static let stateByteCount = 256 << 20
}
