/// When nginx received a request, from the two times that it passes on.
///
/// `RETENTION_MSEC` is the wall clock when the request was passed on and `RETENTION_ELAPSED` the time since its first
/// byte, both in seconds with three decimals.
public enum ReceivedTime: Sendable, Hashable {
    /// Milliseconds since 1970.
    case known(milliseconds: Int64)
    /// Absent, malformed, or too far from our own clock to be true: the deadline runs from the moment of acceptance.
    case unusable

    /// A received time may be ahead of our clock by so much: both clocks are one machine's.
    public static let aheadMilliseconds: Int64 = 1_000
    /// A received time may be so old: nothing waits longer in nginx.
    public static let behindMilliseconds: Int64 = 60_000

    /// Takes the values of both parameters.
    public init(sent: Span<UInt8>, elapsed: Span<UInt8>, nowMilliseconds: Int64) {
        guard let sent = Self.milliseconds(sent), let elapsed = Self.milliseconds(elapsed) else {
            self = .unusable
            return
        }
        // Both are below 10^15, so neither difference can overflow.
        let received = sent - elapsed
        let age = nowMilliseconds.subtractingReportingOverflow(received)
        guard !age.overflow, age.partialValue >= -Self.aheadMilliseconds,
            age.partialValue <= Self.behindMilliseconds
        else {
            self = .unusable
            return
        }
        self = .known(milliseconds: received)
    }

    /// Reads `seconds.mmm` with at most twelve digits before the point and exactly three behind it.
    static func milliseconds(_ text: Span<UInt8>) -> Int64? {
        guard text.count >= 5, text.count <= 16, text[text.count - 4] == UInt8(ascii: ".") else { return nil }
        var value: Int64 = 0
        for index in text.indices where index != text.count - 4 {
            let byte = text[index]
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
