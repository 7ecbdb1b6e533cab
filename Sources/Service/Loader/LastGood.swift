internal import Cryptography
internal import DataFiles
internal import JSON
internal import System
internal import Vocabulary

/// The last good generation in `stateDirectory`: a copy of each data file, named by its digest, and a list of the
/// files, which is replaced last.
public struct LastGood: Sendable {
    /// The directory, `stateDirectory/last-good`.
    public let directory: String

    /// Refers to the last good generation in this `stateDirectory`, which need not exist.
    public init(stateDirectory: String) {
        directory = "\(stateDirectory)/last-good"
    }

    private var listPath: String { "\(directory)/files.json" }

    /// The path of the copy of a file.
    func path(of file: ManifestFile) -> String { "\(directory)/\(Self.storedName(of: file))" }

    static func storedName(of file: ManifestFile) -> String { "\(file.digest.hexadecimal).\(file.kind.name)" }

    /// Returns the files of the last good generation; nil when there is no last good generation.
    ///
    /// - Throws: `last-good-damaged` when the list is not as it was written; `file-unreadable`.
    func files() throws(LoadError) -> [ManifestFile]? {
        let bytes: [UInt8]
        do throws(SystemCallError) {
            bytes = try FileDescriptor.openForReading(path: listPath)
                .readAll(limitBytes: LoaderLimits.manifestByteCount)
        } catch {
            if error.reason == .enoent { return nil }
            throw .fileUnreadable(name: "files.json", error)
        }
        let limits = JSONLimits(byteCount: LoaderLimits.manifestByteCount, depth: 4)
        guard let document = try? JSONDocument(parsing: bytes.span, limits: limits),
            let files = document.root.member("files").flatMap(Manifest.files)
        else { throw .lastGoodDamaged(name: "files.json") }
        return files
    }

    /// Returns the files of the last good generation, to compare new files with. When their list cannot be read,
    /// returns no files and adds a warning. The next good load writes the list anew.
    func knownFiles(_ warnings: inout [LoadWarning]) -> [ManifestFile] {
        do throws(LoadError) {
            return try files() ?? []
        } catch {
            let message = "\(directory): \(error); generation numbers are not compared with it"
            warnings.append(LoadWarning(code: error.code, message: message))
            return []
        }
    }

    /// Copies a file block by block, because a facts file may be larger than the memory.
    private static func copy(_ source: consuming FileDescriptor, to path: String) throws(SystemCallError) {
        var file = try AtomicFileWriter(path: path, permissions: 0o600)
        var block = [UInt8](repeating: 0, count: 1 << 20)
        var offset = 0
        while true {
            let count = try source.read(into: &block, at: offset)
            if count == 0 { break }
            try file.append(block.span.extracting(first: count))
            offset += count
        }
        try file.commit()
    }

    /// Stores the generation `present`. A copy that is there already is compared, and written again when it differs: so
    /// a copy that the disk has damaged is found before a start needs it.
    ///
    /// - Throws: `last-good-not-stored` with the path that could not be written.
    func store(_ present: PresentGeneration) throws(LoadError) {
        if (try? FileStatus(path: directory)) == nil {
            try Self.naming(directory, try Directory.make(path: directory, permissions: 0o700))
        }
        let opened = try Self.naming(directory, try FileDescriptor.openDirectory(path: directory))
        var kept: Set<String> = ["files.json"]
        for (index, file) in present.manifest.files.enumerated() {
            let name = Self.storedName(of: file)
            kept.insert(name)
            if Self.isStored(file, as: name, in: opened, of: present, at: index) { continue }
            let path = "\(directory)/\(name)"
            try Self.naming(path, try Self.copy(present.descriptors.duplicate(at: index), to: path))
        }
        let list = JSONNode.object([
            ("sequence", .integer(Int64(present.manifest.sequence))),
            ("files", .array(present.manifest.files.map { $0.node() })),
        ])
        try Self.naming(
            listPath,
            try AtomicFile.write(list.serialized(pretty: true).span, to: listPath, permissions: 0o600))
        // An entry that belongs to no generation and cannot be removed, such as a directory, does no harm.
        let names = (try? Directory.names(in: opened, limitCount: LoaderLimits.nameCount)) ?? []
        for name in names where !kept.contains(name) {
            try? Directory.removeFile(path: "\(directory)/\(name)")
        }
    }

    /// Returns true when the directory has a copy of the file, equal byte for byte.
    private static func isStored(
        _ file: ManifestFile, as name: String, in directory: borrowing FileDescriptor,
        of present: PresentGeneration, at index: Int
    ) -> Bool {
        guard let copy = try? directory.openEntry(named: name), let status = try? FileStatus(of: copy),
            status.kind == .regular, status.byteCount == file.byteCount
        else { return false }
        return (try? present.hasSameBytes(copy, at: index)) ?? false
    }

    private static func naming<Value: ~Copyable>(
        _ path: String, _ body: @autoclosure () throws(SystemCallError) -> Value
    ) throws(LoadError) -> Value {
        try SystemCallError.mapped(to: { LoadError.lastGoodNotStored(path: path, $0) }, try body())
    }
}
