/// Counts the points at which a process may be killed, and kills it at one of them: from then on nothing has an effect.
final class PointClock {
    private(set) var count = 0
    private(set) var isDead = false
    private let last: Int?

    /// Kills at the point with that number, counted from 1; nil never kills.
    init(killingAt last: Int? = nil) {
        self.last = last
    }

    /// Passes a point. Returns true when the process is dead now.
    func isKilled() -> Bool {
        guard !isDead else { return true }
        count += 1
        isDead = count == last
        return isDead
    }
}
