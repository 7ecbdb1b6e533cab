public import Configuration
internal import System

/// Whether nginx will be able to connect, checked before the first 502 says that it cannot.
public enum SocketCheck {
    /// What stands in the way, and what should be otherwise, each with the command that mends it.
    public struct Findings: Sendable, Hashable {
        /// With these nginx cannot connect, or others can take its place.
        public var problems: [String] = []
        /// With these it can.
        public var warnings: [String] = []
    }

    /// Looks at the directory of the socket and at who may give the socket away.
    public static func findings(_ configuration: Configuration, _ accounts: PoolAccounts) -> Findings {
        var findings = Findings()
        guard let directory = configuration.socketDirectory, let group = accounts.socketGroupID else {
            return findings
        }
        let now = Credentials.current
        let name = configuration.listenGroup
        if !Credentials.isPrivileged, now.groupID != group, !now.groupIDs.contains(group) {
            findings.problems.append(
                "\(Accounts.userName(now.userID)) cannot give the socket to group \(name): "
                    + "usermod -a -G \(name) \(Accounts.userName(now.userID))"
            )
        }
        let user = configuration.user ?? Accounts.userName(now.userID)
        let remedy = "install -d -o \(user) -g \(name) -m 0750 \(directory)"
        guard let status = try? FileStatus(path: directory) else {
            if !Credentials.isPrivileged {
                findings.problems.append("\(directory) does not exist: \(remedy)")
            }
            return findings
        }
        guard status.kind == .directory else {
            findings.problems.append("\(directory) is not a directory")
            return findings
        }
        check(status, of: directory, accounts, remedy, groupName: name, &findings)
        return findings
    }

    /// An existing directory: 0750 of the pool's user and nginx's group is what it should be.
    private static func check(
        _ status: FileStatus,
        of directory: String,
        _ accounts: PoolAccounts,
        _ remedy: String,
        groupName: String,
        _ findings: inout Findings
    ) {
        let isOpenToGroup = status.groupID == accounts.socketGroupID && status.permissions & 0o010 != 0
        if !isOpenToGroup && status.permissions & 0o001 == 0 {
            findings.problems.append("group \(groupName) cannot enter \(directory): \(remedy)")
        }
        if status.isWorldWritable && status.permissions & 0o1000 == 0 {
            findings.problems.append("everybody may replace the socket in \(directory): \(remedy)")
        } else if status.permissions & 0o007 != 0 {
            findings.warnings.append(
                "\(directory) is open to everybody, the socket is for nginx alone: \(remedy)"
            )
        }
        if !Credentials.isPrivileged, !Directory.isWritable(path: directory) {
            let user = Accounts.userName(Credentials.current.userID)
            findings.problems.append("\(user) cannot make the socket in \(directory): \(remedy)")
        }
        let pool = accounts.pool?.userID ?? Credentials.current.userID
        if status.userID != pool {
            let owner = Accounts.userName(status.userID)
            let whose = "\(directory) is \(owner)'s, who may replace the socket, and not the pool's"
            findings.warnings.append("\(whose): \(remedy)")
        }
    }
}
