internal import CJansson

/// The library behind everything here.
public enum JSONLibrary {
    /// The version of jansson that runs, as `2.14`.
    public static var version: String { unsafe String(cString: jansson_version_str()) }
}
