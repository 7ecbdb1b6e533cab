public import DataFiles

/// A facts file, with the columns that the rules of its app ask for.
public struct BoundFacts: Sendable {
    /// The file of facts about subscribers.
    public let file: FactsFile
    /// The column of each fact that the rules declare.
    public let binding: FactsBinding
}
