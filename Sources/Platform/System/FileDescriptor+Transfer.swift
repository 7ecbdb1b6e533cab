internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Reads once, at most `buffer.count` bytes; 0 is the end of the file.
    public borrowing func read(into buffer: inout [UInt8]) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            Result { () throws(SystemCallError) in
                try retrying("read") { unsafe CLinux.read(number, block.baseAddress, block.count) }
            }
        }.get()
    }

    /// Reads once into `buffer` from an index of it on; 0 is the end of the file, or a buffer without room.
    public borrowing func read(
        into buffer: inout [UInt8],
        from index: Int
    ) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: block[index...])
            return Result { () throws(SystemCallError) in
                try retrying("read") { unsafe CLinux.read(number, rest.baseAddress, rest.count) }
            }
        }.get()
    }

    /// Writes once, as much of `bytes` as the descriptor takes.
    ///
    /// - Returns: how many bytes were written, 0 only for none.
    /// - Throws: the errno of `write`; `system.eagain` when a non-blocking descriptor takes nothing.
    public borrowing func writeSome(_ bytes: Span<UInt8>) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            try retrying("write") { unsafe CLinux.write(number, block.baseAddress, block.count) }
        }
    }

    /// Writes all of `bytes`, however many calls it takes.
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

    /// Writes exactly `byteCount` bytes of `file`, from where it stands to its end.
    ///
    /// - Throws: `system.efbig` of `read` when the file is shorter or longer than `byteCount` by the time it is read, so
    ///   that a file which changes under the copy is never taken; the errno of `read`, `write`.
    borrowing func write(copying file: borrowing FileDescriptor, byteCount: Int) throws(SystemCallError) {
        var block = [UInt8](repeating: 0, count: 1 << 20)
        var copied = 0
        while true {
            let count = try file.read(into: &block)
            if count == 0 { break }
            copied += count
            guard copied <= byteCount else { throw SystemCallError(call: "read", .efbig) }
            try write(block.span.extracting(first: count))
        }
        guard copied == byteCount else { throw SystemCallError(call: "read", .efbig) }
    }

    /// Reads once from an offset, at most `buffer.count` bytes, without moving the file's own position; 0 is the end.
    public borrowing func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            Result { () throws(SystemCallError) in
                try retrying("pread") { unsafe pread(number, block.baseAddress, block.count, off_t(offset)) }
            }
        }.get()
    }

    /// Writes all of `bytes` at an offset, however many calls it takes, without moving the file's own position.
    public borrowing func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        let number = self.number
        try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            var done = 0
            while done < block.count {
                done += try retrying("pwrite") {
                    unsafe pwrite(
                        number,
                        block.baseAddress?.advanced(by: done),
                        block.count - done,
                        off_t(offset + done)
                    )
                }
            }
        }
    }
}
