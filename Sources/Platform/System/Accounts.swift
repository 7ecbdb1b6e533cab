internal import CLinux
internal import Glibc

/// Users and groups by name, from the system's databases (passwd(5), group(5)).
public enum Accounts {
    /// Returns the number of the group `name`, or nil when no such group exists. A number stands for itself.
    public static func groupID(named name: String) -> UInt32? {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        guard unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return UInt32(name)
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
