internal import CLinux

/// What this program was built with.
public enum BuildTools {
    /// The clang inside the Swift compiler, in its own words.
    public static var compiler: String { unsafe String(cString: rt_compiler()) }
}
