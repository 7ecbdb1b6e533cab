internal import CPostgreSQL
internal import Glibc

/// The address of a PostgreSQL server and its database, checked by libpq without connecting.
@safe public struct PostgreSQLAddress: Sendable {
    /// The name of the database; empty when the address has none.
    public let database: String
    /// True when the address has a password. The program refuses such an address, because addresses are printed.
    public let hasPassword: Bool
    /// The keywords `host`, `hostaddr` and `port`, each with its value for each server.
    private let servers: [(keyword: String, values: [Substring])]

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
        servers = ["host", "hostaddr", "port"].map { keyword in
            (keyword, (values[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false))
        }
        hasPassword = ["password", "sslpassword"].contains { !(values[$0] ?? "").isEmpty }
    }

    /// The number of servers that the address names.
    var serverCount: Int { servers.map(\.values.count).max() ?? 1 }

    /// The entries of a connection string that leave out the first servers. One port counts for all servers.
    func entries(without count: Int) -> [(String, String)] {
        // An empty entry would hide a variable of the environment, such as PGHOST.
        guard count > 0 else { return [] }
        return servers.filter { $0.values.count == serverCount }
            .map { ($0.keyword, $0.values.dropFirst(count).joined(separator: ",")) }
    }
}
