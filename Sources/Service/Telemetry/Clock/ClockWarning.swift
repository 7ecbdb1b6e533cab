public import Logging

/// A log line about this machine's clock.
public enum ClockWarning: Sendable, Hashable {
    /// The clock was set by so many milliseconds.
    case jumped(Int64)
    /// The dates that Apple signs are ahead of the clock by so many milliseconds.
    case behind(Int64)
    /// The dates that Apple signs are behind the clock: the offset is negative.
    case ahead(Int64)

    /// The stable code.
    public var code: String {
        switch self {
        case .jumped: "clock-jumped"
        case .behind: "clock-behind"
        case .ahead: "clock-ahead"
        }
    }

    private var message: String {
        switch self {
        case .jumped: "the wall clock jumped"
        case .behind: "signedDate is ahead of this machine's clock: the clock is slow"
        case .ahead: "signedDate is behind this machine's clock: the clock is fast, or requests come late"
        }
    }

    private var milliseconds: Int64 {
        switch self {
        case .jumped(let value), .behind(let value), .ahead(let value): value
        }
    }

    /// Writes the line, a warning.
    public func write(to logger: Logger) {
        logger.warning("\(message)", metadata: ["code": "\(code)", "milliseconds": "\(milliseconds)"])
    }
}
