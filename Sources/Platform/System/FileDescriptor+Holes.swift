internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Counts the bytes of the file that are not in holes, and stops once the count reaches `limit`.
    ///
    /// It asks the file system where the holes are (lseek(2)) and not how many blocks the file has. The number of
    /// blocks says little on a file system that compresses or stores small files with their metadata, and for a file
    /// that was pushed a moment ago and is not written to disk yet. A file system without support for holes reports
    /// everything as data. The file position is 0 afterwards.
    ///
    /// - Returns: the count; it may be more than `limit`.
    public borrowing func dataByteCount(upTo limit: Int) throws(SystemCallError) -> Int {
        var (count, end) = (0, off_t(0))
        while count < limit {
            let start = lseek(number, end, Self.seekData)
            // ENXIO: from `end` on there is only a hole, or the file ends.
            if start < 0, errno == ENXIO { break }
            guard start >= 0 else { return try all(limit) }
            end = lseek(number, start, Self.seekHole)
            guard end > start else { return try all(limit) }
            count += Int(end - start)
        }
        try rewind()
        return count
    }

    /// Returns `limit`: without an answer from the file system, all bytes count as data.
    private borrowing func all(_ limit: Int) throws(SystemCallError) -> Int {
        try rewind()
        return limit
    }

    // The system's headers show SEEK_DATA and SEEK_HOLE only with _GNU_SOURCE.
    private static var seekData: Int32 { 3 }
    private static var seekHole: Int32 { 4 }
}
