internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Reads once, at most `buffer.count` bytes. Returns their number, 0 at the end of the file.
    public borrowing func read(into buffer: inout [UInt8]) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            Result { () throws(SystemCallError) in
                try retrying("read") { unsafe CLinux.read(number, block.baseAddress, block.count) }
            }
        }.get()
    }

    /// Reads once into `buffer` from `index` on. Returns the byte count; 0 at the end of the file, or without room.
    public borrowing func read(into buffer: inout [UInt8], from index: Int) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: block[index...])
            return Result { () throws(SystemCallError) in
                try retrying("read") { unsafe CLinux.read(number, rest.baseAddress, rest.count) }
            }
        }.get()
    }

    /// Writes once: as many of `bytes` as the descriptor takes.
    ///
    /// - Returns: the number of bytes written; 0 only when `bytes` is empty.
    /// - Throws: the errno of `write`; `system.eagain` when a non-blocking descriptor takes nothing.
    public borrowing func writeSome(_ bytes: Span<UInt8>) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            try retrying("write") { unsafe CLinux.write(number, block.baseAddress, block.count) }
        }
    }

    /// Writes all of `bytes`, in as many calls as it takes.
    public borrowing func write(_ bytes: Span<UInt8>) throws(SystemCallError) {
        let number = self.number
        try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            var done = 0
            while done < block.count {
                done += try retrying("write") {
                    unsafe CLinux.write(number, block.baseAddress?.advanced(by: done), block.count - done)
                }
            }
        }
    }

    /// Copies exactly `byteCount` bytes of `file`, from its file position to its end.
    ///
    /// - Throws: `file.changed` when the file turns out shorter or longer than `byteCount`, so that a file which changes
    ///   during the copy is never accepted; the errno of `read` or `write`.
    public borrowing func write(copying file: borrowing FileDescriptor, byteCount: Int)
        throws(SystemCallError)
    {
        var block = [UInt8](repeating: 0, count: 1 << 20)
        var copied = 0
        while true {
            let count = try file.read(into: &block)
            if count == 0 { break }
            copied += count
            guard copied <= byteCount else { throw .found(.fileChanged(byteCount: byteCount)) }
            try write(block.span.extracting(first: count))
        }
        guard copied == byteCount else { throw .found(.fileChanged(byteCount: byteCount)) }
    }

    /// Reads once from `offset`, at most `buffer.count` bytes, without moving the file position. Returns their number,
    /// 0 at the end.
    public borrowing func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            Result { () throws(SystemCallError) in
                try retrying("pread") { unsafe pread(number, block.baseAddress, block.count, off_t(offset)) }
            }
        }.get()
    }

    /// Writes all of `bytes` at `offset`, in as many calls as it takes, without moving the file position.
    public borrowing func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        let number = self.number
        try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            var done = 0
            while done < block.count {
                done += try retrying("pwrite") {
                    unsafe pwrite(
                        number, block.baseAddress?.advanced(by: done), block.count - done,
                        off_t(offset + done))
                }
            }
        }
    }
}
