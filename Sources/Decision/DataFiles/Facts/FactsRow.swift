/// A row of one facts file: the facts of one subscriber.
public struct FactsRow: Sendable, Hashable {
    /// The number of the row in the order of the file, from 0.
    public let index: Int

    init(index: Int) {
        self.index = index
    }
}
