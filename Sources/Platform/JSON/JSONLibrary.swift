internal import CJansson

/// The jansson library, which parses and writes the JSON of this module.
public enum JSONLibrary {
    /// The version of jansson in this process, for example `2.14`.
    public static var version: String { unsafe String(cString: jansson_version_str()) }

    private static let seeded: Void = {
        json_object_seed(Int(UInt32.random(in: 1...UInt32.max)))  // with 0, jansson picks a seed
    }()

    /// Seeds jansson's hash tables with a random number once in every process, so that nobody can choose keys that
    /// collide.
    ///
    /// jansson would seed itself from `/dev/urandom`, but when that cannot be opened it would use the time.
    static func seedHashTables() { seeded }
}
