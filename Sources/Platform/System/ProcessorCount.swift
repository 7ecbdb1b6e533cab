internal import CLinux
internal import Glibc

/// How many processor cores this process may use.
public enum ProcessorCount {
    /// The least of the cores that are online, those of the process's affinity (sched_setaffinity(2)) and the quotas of
    /// its control groups; at least 1.
    ///
    /// A container or `CPUQuota=` limits time, not cores: the machine's cores all look online, and a process for each
    /// of them would be throttled.
    public static var usable: Int { limited.count }

    /// ``usable``, and what limits it, for a person.
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
    package static func quota(root: String = "") -> Int? {
        let groups = lines(of: "\(root)/proc/self/cgroup").compactMap(Membership.init)
        var least: Int?
        for mount in lines(of: "\(root)/proc/self/mountinfo").compactMap(Mount.init) {
            for group in groups where group.isUnified == mount.isUnified {
                for directory in mount.directories(of: group.path) {
                    let cores = cores(of: root + directory, isUnified: mount.isUnified)
                    least = [least, cores].compactMap(\.self).min()
                }
            }
        }
        return least
    }

    /// The limit of one group in whole cores. `cpu.max` holds "QUOTA PERIOD" or "max PERIOD"; version 1 has two files,
    /// where -1 is no limit.
    private static func cores(of directory: String, isUnified: Bool) -> Int? {
        let words =
            isUnified
            ? lines(of: "\(directory)/cpu.max").first?.split(separator: " ").map(String.init) ?? []
            : ["cpu.cfs_quota_us", "cpu.cfs_period_us"].compactMap { lines(of: "\(directory)/\($0)").first }
        guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0, period > 0
        else { return nil }
        return quota / period + (quota % period == 0 ? 0 : 1)
    }

    /// The lines of a small file; none when it cannot be read.
    private static func lines(of path: String) -> [String] {
        let bytes = (try? FileDescriptor.openForReading(path: path).readAll(limitBytes: 4 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// A line of `/proc/self/cgroup`, cgroups(7): `0::/path` of version 2, `4:cpu,cpuacct:/path` of version 1.
    private struct Membership {
        let isUnified: Bool
        let path: String

        /// Nil for a hierarchy that does not limit processor time.
        init?(line: String) {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            isUnified = fields[0] == "0" && fields[1].isEmpty
            guard isUnified || fields[1].split(separator: ",").contains("cpu") else { return nil }
            path = String(fields[2])
        }
    }

    /// A line of `/proc/self/mountinfo`, proc_pid_mountinfo(5), that mounts such a hierarchy.
    private struct Mount {
        let isUnified: Bool
        /// The group that is seen at the mount point: in a container often the container's own.
        private let root: String
        private let point: String

        init?(line: String) {
            let fields = line.split(separator: " ")
            guard fields.count > 5, let dash = fields.firstIndex(of: "-"), fields.count > dash + 3 else {
                return nil
            }
            isUnified = fields[dash + 1] == "cgroup2"
            let options = fields[dash + 3].split(separator: ",")
            guard isUnified || (fields[dash + 1] == "cgroup" && options.contains("cpu")) else { return nil }
            root = String(fields[3])
            point = String(fields[4])
        }

        /// The directories of a group and of all groups above it that can be seen here.
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
