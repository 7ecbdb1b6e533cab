public import Configuration
internal import System

/// Whether nginx will be able to connect, checked before the first 502 says that it cannot.
public enum SocketCheck {
    /// What stands in the way, each with the command that mends it.
    public static func problems(_ configuration: Configuration, _ accounts: PoolAccounts) -> [String] {
        guard case .unix(let path) = configuration.listen, let group = accounts.socketGroupID else {
            return []
        }
        var problems: [String] = []
        let now = Credentials.current
        let name = configuration.listenGroup
        let user = configuration.user ?? Accounts.userName(now.userID)
        if !Credentials.isPrivileged, now.groupID != group, !now.groupIDs.contains(group) {
            problems.append(
                "\(Accounts.userName(now.userID)) cannot give the socket to group \(name): "
                    + "usermod -a -G \(name) \(Accounts.userName(now.userID))"
            )
        }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return problems }
        let directory = String(path[..<slash])
        let remedy = "install -d -o \(user) -g \(name) -m 0750 \(directory)"
        guard let status = try? FileStatus(path: directory) else {
            if !Credentials.isPrivileged { problems.append("\(directory) does not exist: \(remedy)") }
            return problems
        }
        guard status.kind == .directory else { return problems + ["\(directory) is not a directory"] }
        let isOpenToGroup = status.groupID == group && status.permissions & 0o010 != 0
        if !isOpenToGroup && status.permissions & 0o001 == 0 {
            problems.append("group \(name) cannot enter \(directory): \(remedy)")
        }
        if status.isWorldWritable && status.permissions & 0o1000 == 0 {
            problems.append("everybody may replace the socket in \(directory): \(remedy)")
        }
        return problems
    }
}
