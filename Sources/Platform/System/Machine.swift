internal import CLinux
internal import Glibc

/// Reads the machine's clocks and waits. Only the outer layers call this; the inner layers take the time as an argument.
public enum Clock {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public static func wallMilliseconds() -> Int64 { Int64(nanoseconds(CLOCK_REALTIME) / 1_000_000) }

    public static func monotonicNanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// Never goes back, and also counts the time in which the machine sleeps.
    public static func bootNanoseconds() -> UInt64 { nanoseconds(CLOCK_BOOTTIME) }

    public static func sleep(milliseconds: Int64) {
        let end = monotonicNanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000
        while true {
            let now = monotonicNanoseconds()
            guard now < end else { return }
            let rest = Int32(clamping: (end - now + 999_999) / 1_000_000)
            guard (try? Readiness.wait(for: [], timeoutMilliseconds: rest)) != nil else { return }
        }
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}

public enum ProcessorCount {
    /// The least of the cores that are online, those of the process's affinity (sched_setaffinity(2)) and the quotas of
    /// its control groups; at least 1.
    ///
    /// A container or `CPUQuota=` limits time, not cores: the machine's cores all look online, and a process for each
    /// of them would be throttled.
    public static var usable: Int { limited.count }

    public static var limited: (count: Int, by: String) {
        let online = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let counts = [
            (count: online, by: "the processor cores that are online"),
            (count: Int(rt_affinity_count()), by: "the affinity of this process"),
            (count: quota() ?? 0, by: "the quota of a control group"),
        ]
        return counts.filter { $0.count > 0 }.min { $0.count < $1.count } ?? (1, "no core is known")
    }

    /// The processor time that the control groups of this process give, in whole cores, rounded up; nil without a limit.
    /// The limit of each group above the process's own counts too. `root` is the directory in place of `/`.
    public static func quota(root: String = "") -> Int? {
        // `0::/path`, cgroups(7).
        let own = lines(of: "\(root)/proc/self/cgroup").first { $0.hasPrefix("0::") }
        guard let path = own?.dropFirst("0::".count) else { return nil }
        return lines(of: "\(root)/proc/self/mountinfo").compactMap(Mount.init)
            .flatMap { $0.directories(of: String(path)) }
            .compactMap { cores(of: root + $0) }.min()
    }

    private static func cores(of directory: String) -> Int? {
        let words = lines(of: "\(directory)/cpu.max").first?.split(separator: " ") ?? []
        guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0, period > 0
        else { return nil }
        return quota / period + (quota % period == 0 ? 0 : 1)
    }

    private static func lines(of path: String) -> [String] {
        let bytes = (try? FileDescriptor.openForReading(path: path).readAll(limitBytes: 4 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// A line of `/proc/self/mountinfo`, proc_pid_mountinfo(5), that mounts control groups of version 2.
    private struct Mount {
        private let root: String
        private let point: String

        init?(line: String) {
            let fields = line.split(separator: " ")
            guard fields.count > 5, let dash = fields.firstIndex(of: "-"), fields.count > dash + 1,
                fields[dash + 1] == "cgroup2"
            else { return nil }
            root = String(fields[3])
            point = String(fields[4])
        }

        func directories(of path: String) -> [String] {
            let top = root.split(separator: "/")
            let names = path.split(separator: "/")
            // A group outside of the mounted ones shows nothing but the mounted root.
            let below = names.starts(with: top) && !names.contains("..") ? names.dropFirst(top.count) : []
            return (0...below.count).map { count in
                ([point] + below.prefix(count).map(String.init)).joined(separator: "/")
            }
        }
    }
}
