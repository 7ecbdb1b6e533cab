/// The values of a row, which those who hold the row share: they are dozens, and copying them takes longer than reading one.
public final class StoredColumns<Columns: ColumnSet>: Sendable, Hashable {
    public let columns: Columns

    public init(_ columns: Columns) {
        self.columns = columns
    }

    /// Two are equal when their values are.
    public static func == (left: StoredColumns, right: StoredColumns) -> Bool {
        left === right || left.columns == right.columns
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(columns)
    }
}
