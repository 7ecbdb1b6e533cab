internal import CPostgreSQL
internal import CSQLite

/// The versions of the database libraries, as they run.
public enum SQLLibraries {
    /// The version of libsqlite3, such as `3.40.1`.
    public static var sqliteVersion: String { unsafe String(cString: sqlite3_libversion()) }

    /// The version of libpq, such as `15.6`.
    public static var postgreSQLVersion: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
