/// How far `signedDate` of verified payloads was ahead of the service's clock. When Apple signs, its clock is right, so
/// these offsets say whether the service's clock is.
struct SignedDateOffsets {
    /// The latest `signedDate` so far, in milliseconds since 1970.
    private var latest = Int64.min
    private var waiting: [Int64] = []

    /// Notes the date of a payload whose signature is good and whose app is known. With `onlyIfNewest`, a payload counts
    /// only when no other was signed later: somebody may send an old one again, and Apple repeats notifications.
    ///
    /// - Returns: true when no other payload was signed later.
    @discardableResult
    mutating func note(_ signedDate: Int64, nowMilliseconds: Int64, onlyIfNewest: Bool) -> Bool {
        let isNewest = signedDate > latest
        latest = max(latest, signedDate)
        let (offset, overflow) = signedDate.subtractingReportingOverflow(nowMilliseconds)
        guard isNewest || !onlyIfNewest, !overflow, waiting.count < SignedPayloadsLimits.signedDateOffsets
        else { return isNewest }
        waiting.append(offset)
        return isNewest
    }

    /// Returns the offsets that were noted since the last call, in milliseconds.
    mutating func take() -> [Int64] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting.removeAll(keepingCapacity: true) }
        return waiting
    }
}
