internal import CLinux
internal import Glibc

/// The environment variables of this process.
public enum ProcessEnvironment {
    /// Returns the value of the variable `name`, or nil when it is not set.
    public static func value(of name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// Returns all variables as `NAME=value`, without those whose name begins with one of `prefixes`.
    public static func all(excludingPrefixes prefixes: [String] = []) -> [String] {
        var found: [String] = []
        guard var cursor = unsafe rt_environ() else { return [] }
        while let text = unsafe cursor.pointee {
            let variable = unsafe String(cString: text)
            if !prefixes.contains(where: { variable.hasPrefix($0) }) { found.append(variable) }
            unsafe cursor += 1
        }
        return found
    }

    /// Removes the variable `name`, so that neither this process nor its children see it.
    public static func remove(_ name: String) {
        unsafe unsetenv(name)
    }
}
