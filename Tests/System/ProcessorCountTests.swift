import Support
import System
import Testing

@Suite("The quota of control groups")
struct ProcessorCountTests {
    /// A machine as a folder: what the process is a member of, what is mounted where, and files below `/sys/fs/cgroup`.
    struct Machine: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let groups: String
        let mounts: String
        let files: [String: String]
        let cores: Int?
    }

    private static let unified = "30 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate"
    private static let service = "system.slice/retentiond.service"

    private static let machines = [
        Machine(
            testDescription: "CPUQuota=150%", groups: "0::/\(service)", mounts: unified,
            files: ["\(service)/cpu.max": "150000 100000"], cores: 2),
        Machine(
            testDescription: "the slice gives less than the service", groups: "0::/\(service)",
            mounts: unified,
            files: ["\(service)/cpu.max": "800000 100000", "system.slice/cpu.max": "50000 50000"], cores: 1),
        Machine(
            testDescription: "a container that sees itself as the root", groups: "0::/",
            mounts: unified, files: ["cpu.max": "200000 100000"], cores: 2),
        Machine(
            testDescription: "outside of what is mounted", groups: "0::/../other", mounts: unified,
            files: ["cpu.max": "300000 100000", "other/cpu.max": "100000 100000"], cores: 3),
        Machine(
            testDescription: "no limit", groups: "0::/\(service)", mounts: unified,
            files: ["\(service)/cpu.max": "max 100000"], cores: nil),
        Machine(
            testDescription: "files that say nothing", groups: "0::/\(service)\nnonsense",
            mounts: unified + "\nnonsense - x", files: ["\(service)/cpu.max": "", "cpu.max": "0 0"],
            cores: nil),
        Machine(testDescription: "no control groups", groups: "", mounts: "", files: [:], cores: nil),
    ]

    @Test("is the least of the group and all groups above it, rounded up to whole cores", arguments: machines)
    func quota(machine: Machine) throws {
        let folder = try TemporaryDirectory()
        func write(_ text: String, _ path: String) throws {
            let words = path.split(separator: "/")
            for count in 1..<words.count {
                let directory = words.prefix(count).joined(separator: "/")
                if (try? FileStatus(path: folder.path(of: directory))) == nil {
                    try folder.makeDirectory(directory)
                }
            }
            try folder.write(text + "\n", to: path)
        }
        try write(machine.groups, "proc/self/cgroup")
        try write(machine.mounts, "proc/self/mountinfo")
        for (path, text) in machine.files { try write(text, "sys/fs/cgroup/\(path)") }
        #expect(ProcessorCount.quota(root: folder.path) == machine.cores)
    }
}
