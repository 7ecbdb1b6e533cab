internal import Cryptography
public import Vocabulary

/// The owner of a journal: an app in one environment of one server. A simulator has journals of its own, so that a default
/// message which is set there does not count as set at Apple.
public struct JournalOwner: Sendable, Hashable, CustomStringConvertible {
    /// The bundle identifier of the app.
    public let bundleId: String
    /// The environment in which the journal's calls were made.
    public let environment: Environment
    /// The address of the server; nil for Apple's.
    public let server: String?

    /// Combines an app, an environment and a server.
    ///
    /// - Parameters:
    ///   - bundleId: the bundle identifier.
    ///   - environment: the environment.
    ///   - server: the address of a server other than Apple's.
    public init(bundleId: String, environment: Environment, server: String? = nil) {
        self.bundleId = bundleId
        self.environment = environment
        self.server = server
    }

    /// The owner in words.
    public var description: String {
        "\(bundleId) in \(environment.rawValue)" + (server.map { " at \($0)" } ?? "")
    }

    /// The name of the journal's file.
    public var fileName: String {
        var name = "journal-\(bundleId)-\(environment.rawValue)"
        if let server {
            name += "-\(SHA256.hash(Array(server.utf8).span).hexadecimal.prefix(12))"
        }
        return name + ".jsonl"
    }
}
