/// Which parts of a batch are stored together after the database has refused the whole.
///
/// Each refused part is halved, and the larger parts come first, so that few transactions store what can be stored. Where a
/// batch of which no row can be stored must not cost two transactions a row, the splitting gives up: after ``sampleCount``
/// refusals in vain, rows from all over the batch are tried alone, and if none of these is stored, nothing more is tried.
struct BatchSplitting {
    /// The parts that are still to be stored, in order.
    private var pieces: [Range<Int>]
    private var first = 0
    /// How many transactions the database has refused.
    private(set) var refusedCount = 0
    /// True when the database has taken a part.
    private(set) var hasStored = false

    /// The refusals after which rows are tried alone: the batch, its halves, quarters and eighths.
    static let sampleCount = 15
    /// The refusals after which nothing more is tried: those above, and a row of each of the sixteen parts that are left.
    static let hopelessCount = 31

    /// False when every row is tried, whatever that costs.
    private let givesUp: Bool

    init(count: Int, givesUp: Bool) {
        pieces = count > 0 ? [0..<count] : []
        self.givesUp = givesUp
    }

    /// True when so many refusals came in vain that the rest is not tried.
    var isHopeless: Bool { givesUp && !hasStored && refusedCount >= Self.hopelessCount }

    /// Returns the part to be stored next; nil when there is none.
    mutating func next() -> Range<Int>? {
        guard first < pieces.count, !isHopeless else { return nil }
        defer { first += 1 }
        return pieces[first]
    }

    /// Notes that the database took a part.
    mutating func noteStored() { hasStored = true }

    /// Notes that the database refused a part.
    mutating func refuse(_ piece: Range<Int>) {
        refusedCount += 1
        if piece.count > 1 {
            let middle = piece.lowerBound + piece.count / 2
            pieces += [piece.lowerBound..<middle, middle..<piece.upperBound]
        }
        if givesUp, refusedCount == Self.sampleCount, !hasStored { sample() }
    }

    /// Puts one row of each part in front of all others. The rows stand at different places of their parts, because what is
    /// refused may come at regular intervals.
    private mutating func sample() {
        var (alone, rest): ([Range<Int>], [Range<Int>]) = ([], [])
        for (number, piece) in pieces[first...].enumerated() {
            let row = piece.lowerBound + number * 5 % piece.count
            alone.append(row..<row + 1)
            rest += [piece.lowerBound..<row, row + 1..<piece.upperBound].filter { !$0.isEmpty }
        }
        pieces = alone + rest
        first = 0
    }
}
