internal import ArgumentParser
internal import System

/// Checks that the files a command would write are different from each other and from the files that it reads.
enum OutputPaths {
    /// The file that a path leads to, or the directory entry for a file that does not exist yet.
    private enum Target: Hashable {
        case file(device: UInt64, inode: UInt64)
        case place(device: UInt64, inode: UInt64, name: String)

        init?(_ path: String) {
            guard path != "-" else {
                self.init(OutputPaths.standardInput())
                return
            }
            if let status = try? FileStatus(path: path) {
                self = .file(device: status.device, inode: status.inode)
                return
            }
            let (directory, name) = AtomicFile.split(path)
            guard let status = try? FileStatus(path: directory) else { return nil }
            self = .place(device: status.device, inode: status.inode, name: name)
        }

        private init?(_ standardInput: FileStatus?) {
            guard let standardInput, standardInput.kind == .regular else { return nil }
            self = .file(device: standardInput.device, inode: standardInput.inode)
        }
    }

    /// Refuses an output file that would replace an input, another output or a device.
    static func check(writing outputs: [String], reading inputs: [String]) throws(ValidationError) {
        let read = Set(inputs.compactMap { Target($0) })
        var written: Set<Target> = []
        for path in outputs {
            guard path != "-" else { throw ValidationError("Standard output takes no file.") }
            if let status = try? FileStatus(path: path), status.kind == .other || status.kind == .socket {
                throw ValidationError("\(path) is not a regular file.")
            }
            // Without the directory there is nothing to compare, and the write will fail by itself.
            guard let target = Target(path) else { continue }
            guard !read.contains(target) else {
                throw ValidationError("\(path) is read and would be written over.")
            }
            guard written.insert(target).inserted else {
                throw ValidationError("\(path) would be written twice.")
            }
        }
    }

    private static func standardInput() -> FileStatus? {
        let stream = FileDescriptor(takingOwnership: 0)
        let status = try? FileStatus(of: stream)
        _ = stream.release()
        return status
    }
}
