public import DataFiles

/// A facts file with the columns that the rules of its app ask for.
public struct BoundFacts: Sendable {
    /// What is known of subscribers.
    public let file: FactsFile
    /// Which column holds which declared fact.
    public let binding: FactsBinding

    /// How old the file is at a time, in whole seconds; 0 for one that says it was built later.
    public func ageSeconds(atMilliseconds now: Int64) -> Int64 { file.ageSeconds(atMilliseconds: now) }
}
