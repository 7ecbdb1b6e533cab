internal import System

/// Why a facts file cannot be built from the store or a table, and what the build warns of. The code of a finding is `facts.` followed by the raw value.
enum FactsBuildReason: String, FindingReason, CaseIterable {
    /// The store has nobody of the app in the environment whose identifier is a number, so that the file would have no facts
    /// from the store. The old file stays, unless there is `--allow-empty`.
    case empty = "empty"
    /// The table has columns that the schema does not have (warning).
    case ignoredColumns = "ignored-columns"
    /// No row of the table has a value of a fact (warning).
    case alwaysMissing = "always-missing"
    /// Neither the schema nor the options say of which app and environment the facts are.
    case noApp = "no-app"
    /// The store and the table both have a fact, and `--prefer` does not say whose value counts.
    case inBoth = "in-both"
    /// The store has nobody of the app in the environment, so that the file that `--allow-empty` wrote has no facts
    /// from the store (warning).
    case noSubscribers = "no-subscribers"
    /// Neither the store nor the table has a fact of the schema.
    case noSource = "no-source"
    /// Subscribers with more than 10,000 notifications, transactions or renewal infos in the store, as only a test account or
    /// a mistake has, get no facts from it (warning).
    case tooManyRows = "too-many-rows"
    /// Bad rows of a table were left out (warning).
    case skippedRows = "skipped-rows"
    /// The schema gives a fact another type than it has, or an enumeration that lacks values.
    case typeDiffers = "type-differs"
    /// Subscribers have an identifier that is no number, so that no request can name them (warning).
    case unusableKeys = "unusable-keys"

    var code: String { "facts.\(rawValue)" }
}
