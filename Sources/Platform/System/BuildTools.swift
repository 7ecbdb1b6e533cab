internal import CLinux

/// The tools this program was built with.
public enum BuildTools {
    /// The version text of the clang inside the Swift compiler.
    public static var compiler: String { unsafe String(cString: rt_compiler()) }
}
