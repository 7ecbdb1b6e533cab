internal import System
internal import Vocabulary

/// The folder in which the images of a catalogue lie.
public struct ImageFiles: Sendable {
    /// The reason why a file cannot be used.
    public enum Problem: Error, Sendable, Hashable {
        /// There is no such file.
        case missing
        /// The file is longer than ``CatalogueLimits/imageByteCount``.
        case tooLarge
        /// The file is a folder, a FIFO or another thing that is not a regular file.
        case notRegular
        /// The system does not let this program read the file; the text says why.
        case unreadable(String)
    }

    private let folder: String
    private let decodesAll: Bool

    /// Makes a reader of the image files in a folder. No file is read yet.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - decodesAll: true to decode the pixels of every image, so that damaged pixels are found; false to decode only
    ///     those that may be transparent.
    public init(folder: String, decodesAll: Bool) {
        self.folder = folder
        self.decodesAll = decodesAll
    }

    /// Reads the file at a path below the folder.
    public func read(_ path: String) throws(Problem) -> ImageFile {
        ImageFile(try bytes(path), decodesAll: decodesAll)
    }

    /// Returns the bytes of the file at a path below the folder, to upload them.
    public func bytes(_ path: String) throws(Problem) -> [UInt8] {
        let path = "\(folder)/\(path)"
        let file = try SystemCallError.mapped(to: Problem.init, try FileDescriptor.openForReading(path: path))
        let status = try SystemCallError.mapped(to: Problem.init, try FileStatus(of: file))
        guard status.kind == .regular else { throw .notRegular }
        let limit = CatalogueLimits.imageByteCount
        guard status.byteCount <= limit else { throw .tooLarge }
        return try SystemCallError.mapped(to: Problem.init, try file.readAll(limitBytes: limit))
    }
}

extension ImageFiles.Problem {
    fileprivate init(_ error: SystemCallError) {
        self =
            switch error.reason {
            case .enoent, .enotdir: .missing
            default: error.isFileTooLarge ? .tooLarge : .unreadable(error.description)
            }
    }
}
