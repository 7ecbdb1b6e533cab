/// The bounds of a load. Those of single files are in the configuration.
public enum LoaderLimits {
    /// `retentiond.json` is kilobytes.
    public static let configurationByteCount = 4 << 20
    /// A PEM file of anchors is kilobytes.
    public static let anchorByteCount = 1 << 20
    /// Data files in one generation (service.md section 5).
    public static let fileCount = 256
    /// Names looked at in `dataDirectory`, whatever they are.
    public static let nameCount = 4096
    /// A manifest: the configuration, its anchors and a line for each file.
    public static let manifestByteCount = 16 << 20
    /// What the loader says at the end; it has to fit one message of a socket with the kernel's default buffer.
    public static let replyByteCount = 160 << 10
    /// The lines about the experiments of one file, and of all files: some thousand experiments.
    public static let markByteCount = 1 << 20
    /// A message with such lines.
    static let markMessageByteCount = 64 << 10
    /// More patience than a configuration can ask for was not said by a loader of ours.
    static let drainMilliseconds: Int64 = 3_600_000
    /// Seconds of processor time after which the kernel ends a loader.
    public static let processorSeconds: UInt64 = 60
    /// Address space of a loader beside the largest file: libraries, the configuration, room to work.
    public static let addressSpaceByteCount: UInt64 = 1 << 30
    /// A file above this takes more than moments to read: its load does not stay in the background, where it might never
    /// end on a machine without any rest.
    public static let backgroundByteCount = 16 << 20
    /// A file above this has to have bytes and not holes alone, since all of it is copied before it is checked.
    public static let holeByteCount = 16 << 20
    /// One byte in so many has to be outside of holes. Whoever copies a file may leave holes for its zeros, but of each
    /// row there is a key, which is not zero, and with 64 facts a row takes no more than 65 times as much.
    public static let holeRatio = 128
    /// A file may say that it was built this far in the future: clocks differ, but not by more than a day.
    public static let futureMilliseconds: Int64 = 86_400_000
    /// The descriptor of a worker's or loader's manifest.
    public static let manifestDescriptor: Int32 = 4
    /// The descriptor of the keys that sign.
    public static let keysDescriptor: Int32 = 5
    /// The descriptor of the first data file; the others follow it.
    public static let firstFileDescriptor: Int32 = 6
    /// The descriptor of the socket to the supervisor.
    public static let controlDescriptor: Int32 = 3
}
