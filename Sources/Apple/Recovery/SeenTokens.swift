/// The tokens of the pages that one reading of a history was given. A token that comes again leads to pages that were read, so
/// the history has no end.
///
/// It keeps a number for each token. Two tokens with the same number among a million have a chance of one in thirty million.
public struct SeenTokens {
    private var hashes: Set<Int> = []

    /// The most pages of one reading, far more than Apple gives in a day of full use.
    static let count = 1_000_000

    /// Makes a set without tokens, or with the one from which an earlier reading goes on.
    public init(_ token: String? = nil) {
        if let token { hashes.insert(token.hashValue) }
    }

    /// Notes the token of the next page.
    ///
    /// - Throws: `recovery.endless-history` when it has come before, or when there were too many.
    public mutating func note(_ token: String) throws(RecoveryError) {
        guard hashes.count < Self.count, hashes.insert(token.hashValue).inserted else {
            throw .endlessHistory
        }
    }
}
