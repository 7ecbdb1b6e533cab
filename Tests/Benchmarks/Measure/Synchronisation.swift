/// How a program that stores notifications synchronises its files.
enum Synchronisation {
    /// With fsync(2) and fdatasync(2) of the kernel.
    case real
    /// Not at all: both functions return at once.
    case skipped
    /// With five milliseconds more for each call, as on a slow disk.
    case delayed
    /// As `real`, but each call waits while the file at this path exists.
    case held(by: String)

    /// The entries of the program's environment. A preloaded library replaces the two functions.
    func environment(_ plan: Plan) -> [String] {
        let library = "LD_PRELOAD=\(plan.tools)/synchronising.so"
        return switch self {
        case .real: []
        case .skipped: [library, "SYNC_SKIPPED=1"]
        case .delayed: [library, "SYNC_DELAY=5000"]
        case .held(let path): [library, "SYNC_HELD_BY=\(path)"]
        }
    }
}
