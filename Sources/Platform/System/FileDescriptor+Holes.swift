internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Counts the bytes of a file that are not in holes, up to a `limit` from which on it is enough.
    ///
    /// Asks for the holes (lseek(2)) and not for the blocks: these say little where a file system compresses, keeps
    /// small files beside their names, or has not written yet what was pushed a moment ago. A file system that knows no
    /// holes says that everything is data. Leaves the file at its beginning.
    ///
    /// - Returns: the count; it may go beyond `limit`.
    public borrowing func dataByteCount(upTo limit: Int) throws(SystemCallError) -> Int {
        var (count, end) = (0, off_t(0))
        while count < limit {
            let start = lseek(number, end, Self.seekData)
            // ENXIO: behind `end` there is nothing but a hole.
            if start < 0, errno == ENXIO { break }
            guard start >= 0 else { return try all(limit) }
            end = lseek(number, start, Self.seekHole)
            guard end > start else { return try all(limit) }
            count += Int(end - start)
        }
        try rewind()
        return count
    }

    /// What a file system is taken for that cannot be asked.
    private borrowing func all(_ limit: Int) throws(SystemCallError) -> Int {
        try rewind()
        return limit
    }

    // SEEK_DATA and SEEK_HOLE are behind _GNU_SOURCE in the system's headers.
    private static var seekData: Int32 { 3 }
    private static var seekHole: Int32 { 4 }
}
