import Support
import System

/// Where the programs under test are.
enum Programs {
    static let nginx = "/usr/sbin/nginx"

    /// The daemon: `RETENTIOND`, else the release build, else the one that was built with these tests.
    static func daemon() throws -> String {
        if let path = ProcessEnvironment.value(of: "RETENTIOND") { return path }
        for kind in ["release", "debug"] {
            let path = SourceFile.root + "/.build/\(kind)/retentiond"
            if (try? FileStatus(path: path)) != nil { return path }
        }
        throw Complaint("there is no retentiond; swift build --product retentiond makes one")
    }

    /// Whether the faults last as long as the contract says.
    static var runsLong: Bool { ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1" }
}
