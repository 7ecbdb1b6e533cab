internal import AppStoreServerAPI
internal import Vocabulary

/// Tells the user of waits.
enum AppleWait {
    /// The shortest wait that is told when another attempt follows.
    private static let quietMilliseconds: Int64 = 1500

    /// Writes a line about a wait to standard error.
    static func show(_ wait: ClientTiming.Wait) {
        let name = wait.operation.name
        let duration = DurationText.of(wait.milliseconds)
        let span = "\(duration), until \(CivilTime(milliseconds: wait.untilMilliseconds))"
        switch wait.reason {
        case .budget:
            Console.note("\(name): the calls of this hour are used up; waiting \(span)")
        case .rateLimit:
            Console.note("\(name): Apple's server allows no more calls now; waiting \(span)")
        case .retry(let code):
            guard wait.milliseconds > quietMilliseconds else { return }
            Console.note("\(name): \(code); trying again in \(duration)")
        }
    }
}
