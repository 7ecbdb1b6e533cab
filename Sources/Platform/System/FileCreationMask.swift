internal import Glibc

/// The permissions that new files get when nobody asks for others.
public enum FileCreationMask {
    /// What a program gives the files it makes: 0666 minus the umask. There is no call that only reads the umask, so it
    /// is set for a moment, to the strictest: for programs with one thread.
    public static func permissionsOfFiles() -> UInt32 {
        let mask = umask(0o777)
        umask(mask)
        return 0o666 & ~mask
    }
}
