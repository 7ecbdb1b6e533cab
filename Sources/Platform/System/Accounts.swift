internal import CLinux
internal import Glibc

/// Users and groups by name, from the system's databases (passwd(5), group(5)).
public enum Accounts {
    /// Returns the credentials of the user `name`: its main group and every group it is in. Nil when no such user
    /// exists.
    public static func user(named name: String) -> Credentials? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        var count: Int32 = 1024
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard unsafe getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return nil }
        return Credentials(
            userID: unsafe entry.pw_uid,
            groupID: unsafe entry.pw_gid,
            groupIDs: Array(groups.prefix(Int(count)))
        )
    }

    /// Returns the number of the group `name`, or nil when no such group exists.
    public static func groupID(named name: String) -> UInt32? {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        return unsafe entry.gr_gid
    }

    /// Returns the name of the group with this number. A group without a name gives the number in decimal.
    public static func groupName(_ groupID: UInt32) -> String {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getgrgid_r(groupID, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil,
            let name = unsafe entry.gr_name
        else { return String(groupID) }
        return unsafe String(cString: name)
    }

    /// Returns the name of the user with this number. A user without a name gives the number in decimal.
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
