internal import ArgumentParser
internal import System

/// The option for the time at which certificates must be valid and at which the payload's age is computed.
enum VerificationTime: ExpressibleByArgument {
    /// The time of the wall clock.
    case now
    /// The `signedDate` of the payload.
    case signedDate
    /// A time given on the command line.
    case at(TimeArgument)

    init?(argument: String) {
        switch argument {
        case "now": self = .now
        case "signed-date": self = .signedDate
        default:
            guard let moment = TimeArgument(argument: argument) else { return nil }
            self = .at(moment)
        }
    }

    /// Returns the time in milliseconds since 1970. `signedDate` is the presented value, which is true only if the
    /// signature is good. Without one, `signed-date` means the wall clock.
    func milliseconds(signedDate: Int64?) -> Int64 {
        switch self {
        case .now: Clock.wallMilliseconds()
        case .signedDate: signedDate ?? Clock.wallMilliseconds()
        case .at(let moment): moment.milliseconds
        }
    }
}
