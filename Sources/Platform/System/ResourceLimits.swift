internal import CLinux
internal import Glibc

/// The resource limits of this process, which its children inherit (setrlimit(2)).
public enum ResourceLimits {
    public enum Resource: Sendable {
        case addressSpace
        case core
        case processorSeconds

        fileprivate var number: __rlimit_resource_t {
            switch self {
            case .addressSpace: Int32(RLIMIT_AS.rawValue)
            case .core: Int32(RLIMIT_CORE.rawValue)
            case .processorSeconds: Int32(RLIMIT_CPU.rawValue)
            }
        }
    }

    public static func set(_ resource: Resource, to value: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(resource.number, &limit) == 0 else { throw .last("getrlimit") }
        limit.rlim_max = min(limit.rlim_max, rlim_t(value))
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(resource.number, &limit) == 0 else { throw .last("setrlimit") }
    }

    public static func openDescriptors() throws(SystemCallError) -> UInt64 {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        return UInt64(limit.rlim_cur)
    }

    public static func raiseOpenDescriptors(to ceiling: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("getrlimit") }
        guard limit.rlim_cur < ceiling else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(ceiling))
        guard unsafe setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw .last("setrlimit") }
    }
}
