internal import DataFiles
internal import Decisions
internal import System

/// A data file of the generation that is being loaded: a valid copy.
struct CheckedFile {
    let file: ManifestFile
    let contents: FileContents
    /// The bytes that a worker maps.
    let mapped: OpenFile
}

/// Where a load puts its copies.
enum LoadDestination {
    case directory(GenerationWriter)
    /// In memory of this process, for `-t` and for a process without a supervisor, which write nothing.
    case memory

    /// Stores bytes under a name.
    func store(_ bytes: Span<UInt8>, as name: String) throws(SystemCallError) -> OpenFile {
        switch self {
        case .directory(let writer): return try writer.write(bytes, as: name)
        case .memory:
            let file = try OpenFile.inMemory()
            try file.descriptor.write(bytes)
            return file
        }
    }

    /// Stores a copy of a file, block by block, because a facts file may be larger than the memory.
    func copy(_ source: borrowing FileDescriptor, byteCount: Int, as name: String) throws(SystemCallError)
        -> OpenFile
    {
        switch self {
        case .directory(let writer):
            let file = try writer.create(name)
            try writer.layer.copy(source, byteCount: byteCount, to: file)
            try writer.layer.synchronize(file)
            return file
        case .memory:
            let file = try OpenFile.inMemory()
            try file.descriptor.write(copying: source, byteCount: byteCount)
            return file
        }
    }

    /// Takes a file of another generation, which nobody changes.
    func link(_ other: String, as name: String) throws(SystemCallError) -> OpenFile {
        switch self {
        case .directory(let writer): try writer.link(other, as: name)
        case .memory: OpenFile(try FileDescriptor.openForReading(path: other))
        }
    }

    func remove(_ name: String) {
        if case .directory(let writer) = self { writer.remove(name) }
    }
}

/// What a load has to know of the contents of a data file when the file is no longer open: which facts rules ask for,
/// and which facts a facts file has.
enum FileContents: Sendable {
    /// Of a rules file: the facts that it reads, and the signatures that it needs.
    case rules(read: [(name: String, kind: ValueKind)], signing: SigningCapabilities)
    /// Of a facts file: its columns, and their offset in the file.
    case facts(columns: [FactColumn], offset: Int)
}
