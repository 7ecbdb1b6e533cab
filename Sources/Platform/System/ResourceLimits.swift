internal import CLinux
internal import Glibc

/// Limits of this process, inherited by those it starts (setrlimit(2)).
public enum ResourceLimits {
    /// The resources that are limited here.
    public enum Resource: Sendable {
        /// Bytes of address space.
        case addressSpace
        /// Bytes of a core file.
        case core
        /// Seconds of processor time.
        case processorSeconds

        fileprivate var number: __rlimit_resource_t {
            switch self {
            case .addressSpace: Int32(RLIMIT_AS.rawValue)
            case .core: Int32(RLIMIT_CORE.rawValue)
            case .processorSeconds: Int32(RLIMIT_CPU.rawValue)
            }
        }
    }

    /// Sets both the soft and the hard limit, never above the present hard one.
    public static func set(_ resource: Resource, to value: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(resource.number, &limit) == 0 else { throw .last("getrlimit") }
        limit.rlim_max = min(limit.rlim_max, rlim_t(value))
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(resource.number, &limit) == 0 else { throw .last("setrlimit") }
    }

    /// Raises the soft limit of open descriptors to the hard one, at most to `ceiling`.
    public static func raiseOpenDescriptors(to ceiling: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        guard limit.rlim_cur < ceiling else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(ceiling))
        guard unsafe setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("setrlimit") }
    }
}
