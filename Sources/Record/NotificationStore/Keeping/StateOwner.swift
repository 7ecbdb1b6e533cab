internal import SQL

/// Whose state it is: a subscription of an app in an environment.
struct StateOwner: Hashable {
    let app: String
    let environment: String
    let id: String

    /// The three in the order in which statements have them.
    var values: [SQLValue] { [.text(app), .text(environment), .text(id)] }

    /// Deletes the row of an owner from a table. The key is whole: the index begins with the app and the environment.
    static func deletion(from table: SQLText) -> SQLText {
        "DELETE FROM " + table + " WHERE app = ? AND environment = ? AND original_transaction_id = ?"
    }
}
