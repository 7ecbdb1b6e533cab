internal import AppStoreServerAPI
internal import Vocabulary

/// Tells the user of waits.
enum AppleWait {
    /// The shortest wait that is told when another attempt follows.
    private static let quietMilliseconds: Int64 = 1500

    /// Writes a line about a wait to standard error.
    static func show(_ wait: ClientTiming.Wait) {
        let name = wait.operation.name
        let span = "\(duration(wait.milliseconds)), until \(CivilTime(milliseconds: wait.untilMilliseconds))"
        switch wait.reason {
        case .budget:
            Console.note("\(name): the calls of this hour are used up; waiting \(span)")
        case .rateLimit:
            Console.note("\(name): Apple's server allows no more calls now; waiting \(span)")
        case .retry(let code):
            guard wait.milliseconds > quietMilliseconds else { return }
            Console.note("\(name): \(code); trying again in \(duration(wait.milliseconds))")
        }
    }

    /// Returns a duration for people, rounded up to seconds: `1 h 2 min`, `3 min 20 s`.
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = (max(0, milliseconds) + 999) / 1000
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return shown.isEmpty ? "0 s" : shown.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
