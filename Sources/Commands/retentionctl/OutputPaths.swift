internal import ArgumentParser
internal import System

/// The files that a command would write, held against each other and against those that it reads.
enum OutputPaths {
    /// What a path leads to: a file, or the place for one that is not there yet.
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

    /// Refuses outputs that would take the place of an input, of each other, or of a device.
    static func check(writing outputs: [String], reading inputs: [String]) throws(ValidationError) {
        let read = Set(inputs.compactMap { Target($0) })
        var written: Set<Target> = []
        for path in outputs {
            guard path != "-" else { throw ValidationError("Standard output takes no file.") }
            if let status = try? FileStatus(path: path), status.kind == .other || status.kind == .socket {
                throw ValidationError("\(path) is not a regular file.")
            }
            // Where there is not even a directory, writing fails by itself.
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
