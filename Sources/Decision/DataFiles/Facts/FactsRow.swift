/// A row of one facts file: where the facts of one subscriber stand in it.
public struct FactsRow: Sendable, Hashable {
    /// Its number in the order of the file, from 0.
    public let index: Int

    init(index: Int) {
        self.index = index
    }
}
