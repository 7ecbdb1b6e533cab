internal import CLinux
internal import Glibc

public enum Accounts {
    public static func groupID(named name: String) -> UInt32? {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return UInt32(name)
        }
        return unsafe entry.gr_gid
    }

    public static func groupName(_ groupID: UInt32) -> String {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getgrgid_r(groupID, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let name = unsafe entry.gr_name
        else { return String(groupID) }
        return unsafe String(cString: name)
    }

    public static func userName(_ userID: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getpwuid_r(userID, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let name = unsafe entry.pw_name
        else { return String(userID) }
        return unsafe String(cString: name)
    }
}

public struct Credentials: Sendable, Hashable {
    public let userID: UInt32
    public let groupID: UInt32
    public let groupIDs: [UInt32]

    public static var current: Credentials {
        let count = max(0, getgroups(0, nil))
        var groups = [gid_t](repeating: 0, count: Int(count))
        let found = unsafe getgroups(count, &groups)
        return Credentials(
            userID: geteuid(), groupID: getegid(), groupIDs: Array(groups.prefix(Int(max(0, found)))))
    }

    public static var isPrivileged: Bool { geteuid() == 0 }

    /// The names of the user and the groups, as in `user retentiond, group retentiond, also in www-data`.
    public var names: String {
        let others = Set(groupIDs).subtracting([groupID]).sorted().map(Accounts.groupName)
        let own = "user \(Accounts.userName(userID)), group \(Accounts.groupName(groupID))"
        return others.isEmpty ? own : "\(own), also in \(others.joined(separator: ", "))"
    }
}
