/// When nginx received a request, computed from the two times that nginx passes on.
///
/// `RETENTION_MSEC` is the wall clock at the moment when nginx passed the request on, and `RETENTION_ELAPSED` is the
/// time since the first byte of the request. Both are in seconds with three decimals.
public enum ReceivedTime: Sendable, Hashable {
    /// The time in milliseconds since 1970.
    case known(milliseconds: Int64)
    /// The values are absent, malformed, or too far from our own clock to be true. The deadline then runs from the
    /// moment of acceptance.
    case unusable

    /// How far a received time may be ahead of our clock. Both clocks are the same machine's.
    public static let aheadMilliseconds: Int64 = 1_000
    /// How old a received time may be. No request waits longer in nginx.
    public static let behindMilliseconds: Int64 = 60_000

    /// Computes the time from the values of both parameters.
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

    /// Parses `seconds.mmm` with at most twelve digits before the point and exactly three after it. Returns the
    /// milliseconds.
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
