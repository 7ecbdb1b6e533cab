internal import NotificationStore

/// What waits to be passed on to one receiver.
struct ForwardBacklog: Sendable, Hashable {
    let receiver: ForwardReceiver
    /// When the first notification came that the receiver does not have yet, milliseconds since 1970; nil when the receiver
    /// has everything.
    let oldestMilliseconds: Int64?
    /// How many notifications were set aside because the receiver refuses them.
    let setAsideCount: Int64

    /// How long that notification has waited, in whole seconds; 0 when the receiver has everything.
    func seconds(atMilliseconds now: Int64) -> UInt64 {
        guard let oldestMilliseconds, now > oldestMilliseconds else { return 0 }
        return UInt64(now - oldestMilliseconds) / 1000
    }
}
