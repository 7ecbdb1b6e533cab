import Support

/// A clock that is ahead of the real one by an amount that all its processes share (``PreloadedLibrary``). The process of the
/// tests keeps the real clock.
final class SharedClock: Sendable {
    private let preloaded: PreloadedLibrary
    private let folder: TemporaryDirectory
    private static let file = "clock"
    /// Where the file has the amount, in nanoseconds, little-endian.
    private static let offsetPlace = 8

    /// Makes a clock that is not ahead yet.
    init(_ preloaded: PreloadedLibrary) throws {
        self.preloaded = preloaded
        folder = try TemporaryDirectory()
        try folder.write([UInt8](repeating: 0, count: 4096), to: Self.file, permissions: 0o600)
    }

    /// The entries of the environment of a process with this clock.
    var environment: [String] { [preloaded.environment, "SHARED_CLOCK=" + folder.path(of: Self.file)] }

    /// The entries of the environment of a process that also moves the clock: hours pass while all such processes sleep.
    var clientEnvironment: [String] { environment + ["CLOCK_CLIENT=1"] }

    /// How far the clock is ahead, in milliseconds.
    func aheadMilliseconds() throws -> Int64 { try aheadNanoseconds() / 1_000_000 }

    private func aheadNanoseconds() throws -> Int64 {
        let page = try folder.read(Self.file)
        return page[Self.offsetPlace..<Self.offsetPlace + 8].reversed().reduce(Int64(0)) {
            $0 << 8 | Int64($1)
        }
    }

    /// Lets time pass at once. Meanwhile no process may be in the middle of anything that has a deadline, and no process that
    /// moves the clock may run.
    func pass(milliseconds: Int64) throws {
        let ahead = try aheadNanoseconds() + milliseconds * 1_000_000
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: ahead >> ($0 * 8)) }
        try InPlace.overwrite(path: folder.path(of: Self.file), at: Self.offsetPlace, with: bytes)
    }
}
