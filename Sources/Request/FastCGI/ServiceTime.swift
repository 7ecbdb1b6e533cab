/// How long one request takes while requests wait: the average over about the last second in which requests waited. The time
/// is that of the clock on the wall, so it includes what other processes take of the processor.
///
/// A shorter memory would be worse: when thousands of requests arrive at once, nginx takes most of the processor until it has
/// passed them on. For this short time every request takes longer, but the requests that wait then are answered later.
struct ServiceTime: Sendable {
    /// The average, in nanoseconds. Before the first measurement a request is assumed to take 100 microseconds.
    private(set) var average: UInt64 = 100_000
    /// The measurements since the average has changed last.
    private var nanoseconds: UInt64 = 0
    private var count: UInt64 = 0
    /// How often the average has changed, and at most ``weight``.
    private var changeCount: UInt64 = 0

    /// Measurements of so much time, together, change the average.
    private static let block: UInt64 = 50_000_000
    /// A change moves the average by a sixteenth of the difference, so the average is that of about 0.8 s. The first changes
    /// move it by more.
    private static let weight: UInt64 = 16
    /// The most time that counts of one measurement. A machine that stood still for a second says nothing about the next
    /// second.
    private static let ceiling: UInt64 = 20_000_000

    /// Adds a measurement: `count` requests, at least one, took this time.
    mutating func note(count: Int, nanoseconds: UInt64) {
        self.nanoseconds += min(nanoseconds, Self.ceiling)
        self.count += UInt64(count)
        guard self.nanoseconds >= Self.block else { return }
        changeCount = min(changeCount + 1, Self.weight)
        let parts = changeCount + 1
        average = (average * (parts - 1) + self.nanoseconds / self.count) / parts
        (self.nanoseconds, self.count) = (0, 0)
    }
}
