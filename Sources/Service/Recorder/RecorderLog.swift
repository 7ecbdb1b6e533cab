internal import Logging
internal import NotificationStore
internal import Pool
internal import Reply
internal import SignedPayloads
internal import System

/// Writes the recorder's log lines. Lines that others can cause are written at a bounded rate for each code.
struct RecorderLog {
    private static let burst = 10
    private static let intervalNanoseconds: UInt64 = 10_000_000_000

    let logger: Logger
    /// One rate limit for each code, so that a flood of one refusal does not hide another.
    private var limits: [String: RateLimiter] = [:]

    init(logger: Logger) {
        self.logger = logger
    }

    /// Logs a refusal. `detail` has no secret: an app's number or its bundle identifier at most.
    mutating func refused(_ problem: Problem, detail: String?, requestID: String, at now: UInt64) {
        guard let held = admit(problem.code, now) else { return }
        var metadata: Logger.Metadata = ["code": "\(problem.code)"]
        if let detail { metadata["detail"] = "\(detail)" }
        if !requestID.isEmpty { metadata["request.id"] = "\(requestID)" }
        if held > 0 { metadata["held-back"] = "\(held)" }
        if problem == .refused(.signedDateAhead) {
            logger.error("signedDate is in the future: set this machine's clock", metadata: metadata)
        } else if problem.status(for: .notification) >= 500 {
            logger.error("notification not acknowledged", metadata: metadata)
        } else {
            logger.warning("notification refused", metadata: metadata)
        }
    }

    /// Logs a part that failed its own check. The notification is stored.
    mutating func partFailed(_ name: String, _ error: VerificationError, _ requestID: String) {
        guard let held = admit("part." + error.code, Clock.monotonicNanoseconds()) else { return }
        logger.error(
            "a part of a notification failed its check; nothing is derived from it",
            metadata: [
                "code": "\(error.code)", "part": "\(name)", "request.id": "\(requestID)",
                "held-back": "\(held)",
            ]
        )
    }

    mutating func notTaken(_ error: NotificationStoreError, at now: UInt64) {
        guard let held = admit("item." + error.code, now) else { return }
        logger.error(
            "the store refuses a notification",
            metadata: ["code": "\(error.code)", "reason": "\(error)", "held-back": "\(held)"])
    }

    func changed(_ condition: StoreCondition, _ address: String) {
        switch condition {
        case .opening: break
        case .checking(let count):
            logger.warning(
                "the store takes notifications once it is checked: its file was changed after its log (-wal)",
                metadata: ["file-bytes": "\(count)", "store": "\(address)"])
        case .preparing(let count):
            logger.warning(
                "the store takes notifications once its write-ahead log is on the disk",
                metadata: ["log-bytes": "\(count)", "store": "\(address)"])
        case .open: logger.notice("the store takes notifications", metadata: ["store": "\(address)"])
        case .failing(let error):
            logger.critical(
                "the store takes no notifications: they are answered with 503",
                metadata: ["code": "\(error.code)", "reason": "\(error)", "store": "\(address)"])
        }
    }

    private mutating func admit(_ code: String, _ now: UInt64) -> Int? {
        var limiter =
            limits[code]
            ?? RateLimiter(burst: Self.burst, intervalNanoseconds: Self.intervalNanoseconds)
        defer { limits[code] = limiter }
        return limiter.admit(atNanoseconds: now)
    }
}
