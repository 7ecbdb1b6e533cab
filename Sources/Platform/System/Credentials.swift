internal import Glibc

/// The user and the groups that a process runs as.
public struct Credentials: Sendable, Hashable {
    public let userID: UInt32
    /// The number of the main group.
    public let groupID: UInt32
    /// The numbers of the supplementary groups.
    public let groupIDs: [UInt32]

    /// The effective user, the effective group and the supplementary groups of this process.
    public static var current: Credentials {
        let count = max(0, getgroups(0, nil))
        var groups = [gid_t](repeating: 0, count: Int(count))
        let found = unsafe getgroups(count, &groups)
        return Credentials(
            userID: geteuid(), groupID: getegid(), groupIDs: Array(groups.prefix(Int(max(0, found)))))
    }

    /// True when this process is root.
    public static var isPrivileged: Bool { geteuid() == 0 }

    /// The names of the user and the groups, as in `user retentiond, group retentiond, also in www-data`.
    public var names: String {
        let others = Set(groupIDs).subtracting([groupID]).sorted().map(Accounts.groupName)
        let own = "user \(Accounts.userName(userID)), group \(Accounts.groupName(groupID))"
        return others.isEmpty ? own : "\(own), also in \(others.joined(separator: ", "))"
    }
}
