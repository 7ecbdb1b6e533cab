internal import CLinux
internal import Glibc

/// The resource limits of this process, which its children inherit (setrlimit(2)).
public enum ResourceLimits {
    /// The resources that callers limit.
    public enum Resource: Sendable {
        /// The address space, in bytes.
        case addressSpace
        /// The size of a core file, in bytes.
        case core
        /// The processor time, in seconds.
        case processorSeconds

        fileprivate var number: __rlimit_resource_t {
            switch self {
            case .addressSpace: Int32(RLIMIT_AS.rawValue)
            case .core: Int32(RLIMIT_CORE.rawValue)
            case .processorSeconds: Int32(RLIMIT_CPU.rawValue)
            }
        }
    }

    /// Sets both the soft and the hard limit to `value`, but never above the present hard limit.
    public static func set(_ resource: Resource, to value: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(resource.number, &limit) == 0 else { throw .last("getrlimit") }
        limit.rlim_max = min(limit.rlim_max, rlim_t(value))
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(resource.number, &limit) == 0 else { throw .last("setrlimit") }
    }

    /// Returns how many descriptors this process may have open at a time.
    public static func openDescriptors() throws(SystemCallError) -> UInt64 {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        return UInt64(limit.rlim_cur)
    }

    /// Raises the soft limit of open descriptors to the hard limit, but at most to `ceiling`.
    public static func raiseOpenDescriptors(to ceiling: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        guard limit.rlim_cur < ceiling else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(ceiling))
        guard unsafe setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("setrlimit") }
    }
}
