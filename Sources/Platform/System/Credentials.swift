internal import CLinux
internal import Glibc

/// The user and the groups that a process runs as.
public struct Credentials: Sendable, Hashable {
    /// The number of the user.
    public var userID: UInt32
    /// The number of the main group.
    public var groupID: UInt32
    /// The numbers of the supplementary groups.
    public var groupIDs: [UInt32]

    /// Combines a user, a main group and supplementary groups, given by number.
    public init(userID: UInt32, groupID: UInt32, groupIDs: [UInt32]) {
        self.userID = userID
        self.groupID = groupID
        self.groupIDs = groupIDs
    }

    /// The effective user, the effective group and the supplementary groups of this process.
    public static var current: Credentials {
        let count = max(0, getgroups(0, nil))
        var groups = [gid_t](repeating: 0, count: Int(count))
        let found = unsafe getgroups(count, &groups)
        return Credentials(
            userID: geteuid(),
            groupID: getegid(),
            groupIDs: Array(groups.prefix(Int(max(0, found))))
        )
    }

    /// True when this process is root and so may become other users.
    public static var isPrivileged: Bool { geteuid() == 0 }

    /// Checks whether a process with these credentials may give its files to the group: root may give to any group, and
    /// a user to the groups that the user is in.
    ///
    /// - Throws: `group.not-a-member`.
    public func checkMayGive(toGroup number: UInt32) throws(SystemCallError) {
        guard userID == 0 || groupID == number || groupIDs.contains(number) else {
            throw .found(.notInGroup)
        }
    }

    /// Makes this process run with these credentials for good, and checks that it cannot go back.
    ///
    /// - Throws: the errno of the call that failed; `privileges.retained` when the process could still take root back.
    public func apply() throws(SystemCallError) {
        guard unsafe setgroups(groupIDs.count, groupIDs) == 0 else { throw .last("setgroups") }
        guard setresgid(groupID, groupID, groupID) == 0 else { throw .last("setresgid") }
        guard setresuid(userID, userID, userID) == 0 else { throw .last("setresuid") }
        guard userID != 0 else { return }
        let isUndone = setresuid(0, 0, 0) == 0 || setuid(0) == 0 || (groupID != 0 && setresgid(0, 0, 0) == 0)
        guard !isUndone, geteuid() == userID, getegid() == groupID else {
            throw .found(.rootRetained)
        }
    }

    /// Makes a root process act as this user and these groups until ``resume()``. In another user's directory root then
    /// makes files with that user's rights, and the kernel refuses what it would refuse that user.
    ///
    /// - Throws: the errno of the call that failed.
    public func assume() throws(SystemCallError) {
        guard unsafe setgroups(groupIDs.count, groupIDs) == 0 else { throw .last("setgroups") }
        guard setegid(groupID) == 0 else { throw .last("setegid") }
        guard seteuid(userID) == 0 else { throw .last("seteuid") }
    }

    /// Takes these credentials back after ``assume()``. They must be those of root.
    ///
    /// - Throws: the errno of the call that failed.
    public func resume() throws(SystemCallError) {
        guard seteuid(userID) == 0 else { throw .last("seteuid") }
        guard setegid(groupID) == 0 else { throw .last("setegid") }
        guard unsafe setgroups(groupIDs.count, groupIDs) == 0 else { throw .last("setgroups") }
    }

    /// The names of the user and the groups, as in `user retentiond, group retentiond, also in www-data`.
    public var names: String {
        let others = Set(groupIDs).subtracting([groupID]).sorted().map(Accounts.groupName)
        let own = "user \(Accounts.userName(userID)), group \(Accounts.groupName(groupID))"
        return others.isEmpty ? own : "\(own), also in \(others.joined(separator: ", "))"
    }

    /// Gives up every way to gain privileges by exec, for this process and its children (PR_SET_NO_NEW_PRIVS).
    public static func renouncePrivilegesByExec() throws(SystemCallError) {
        guard rt_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else { throw .last("prctl") }
    }
}
