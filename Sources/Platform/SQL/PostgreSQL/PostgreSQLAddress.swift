internal import CPostgreSQL
internal import Glibc

/// The address of a PostgreSQL server and its database, checked by libpq without connecting.
@safe public struct PostgreSQLAddress: Sendable, Hashable {
    /// The name of the database; empty when the address has none.
    public let database: String
    /// True when the address has a password. The program refuses such an address, because addresses are printed.
    public let hasPassword: Bool
    /// The number of servers that the address names.
    let hostCount: Int

    /// Reads a connection string.
    ///
    /// - Throws: `sql.bad-address`. The error has no part of the text, which may have a password.
    public init(_ text: String) throws(SQLError) {
        var message: UnsafeMutablePointer<CChar>?
        defer { unsafe PQfreemem(message) }
        // libpq would take any other text for the name of a database.
        let isAddress = text.contains("=") || text.contains("://")
        guard isAddress, !text.utf8.contains(0), let options = unsafe PQconninfoParse(text, &message) else {
            throw SQLError(.badAddress)
        }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        database = values["dbname"] ?? ""
        let hosts = ["host", "hostaddr"].map { (values[$0] ?? "").split(separator: ",").count }
        hostCount = max(1, hosts.max() ?? 1)
        hasPassword = ["password", "sslpassword"].contains { !(values[$0] ?? "").isEmpty }
    }
}
