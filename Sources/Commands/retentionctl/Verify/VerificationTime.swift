internal import ArgumentParser
internal import System

/// The time at which certificates must be valid and from which the age is counted, as given on the command line.
enum VerificationTime: ExpressibleByArgument {
    /// The wall clock.
    case now
    /// The payload's own.
    case signedDate
    /// A given one.
    case at(Moment)

    init?(argument: String) {
        switch argument {
        case "now": self = .now
        case "signed-date": self = .signedDate
        default:
            guard let moment = Moment(argument: argument) else { return nil }
            self = .at(moment)
        }
    }

    /// Milliseconds since 1970; `signedDate` as it was presented, which only a good signature makes true.
    func milliseconds(signedDate: Int64?) -> Int64 {
        switch self {
        case .now: Clock.wallMilliseconds()
        case .signedDate: signedDate ?? Clock.wallMilliseconds()
        case .at(let moment): moment.milliseconds
        }
    }
}
