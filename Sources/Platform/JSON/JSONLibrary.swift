internal import CJansson

/// The jansson library, which parses and writes the JSON of this module.
public enum JSONLibrary {
    /// The version of jansson in this process, for example `2.14`.
    public static var version: String { unsafe String(cString: jansson_version_str()) }
}
