/// A set of columns whose values come from members of a signed payload.
protocol PayloadColumns: TableColumns {
    /// The names of the members that have columns, with the names of these columns. A member that is an object stands for
    /// all columns that come from it.
    static var members: [String: [String]] { get }
}

extension PayloadColumns {
    /// Returns the columns whose values in the payload could not be used.
    ///
    /// - Parameter members: the names of the members that the verifier could not use.
    /// - Returns: the names of the columns.
    static func unfit(_ members: [String]) -> Set<String> {
        Set(members.flatMap { Self.members[$0] ?? [] })
    }
}
