public import DataFiles

/// A facts file with the columns that the rules of its app ask for.
public struct BoundFacts: Sendable {
    /// What is known of subscribers.
    public let file: FactsFile
    /// Which column holds which declared fact.
    public let binding: FactsBinding
}
