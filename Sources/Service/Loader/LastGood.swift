internal import Cryptography
internal import DataFiles
internal import JSON
internal import System

/// The last good generation in `stateDirectory`: a copy of each data file under its digest, and a list of them that
/// is replaced last.
public struct LastGood: Sendable {
    /// `stateDirectory/last-good`.
    public let directory: String

    /// The one of this `stateDirectory`.
    public init(stateDirectory: String) {
        directory = "\(stateDirectory)/last-good"
    }

    private var listPath: String { "\(directory)/files.json" }

    static func storedName(of file: ManifestFile) -> String { "\(file.digest.hexadecimal).\(file.kind.name)" }

    /// The files of the last good generation; nil when there is none.
    ///
    /// - Throws: `last-good-damaged` when the list is not as it was written.
    func files() throws(LoadError) -> [ManifestFile]? {
        let bytes: [UInt8]
        do throws(SystemCallError) {
            bytes = try FileDescriptor.openForReading(path: listPath)
                .readAll(limitBytes: LoaderLimits.manifestByteCount)
        } catch {
            if error.code == "system.enoent" { return nil }
            throw .fileUnreadable(name: "files.json", error)
        }
        let limits = JSONLimits(byteCount: LoaderLimits.manifestByteCount, depth: 4)
        guard let document = try? JSONDocument(parsing: bytes.span, limits: limits),
            let files = document.root.member("files").flatMap(Manifest.files)
        else { throw .lastGoodDamaged(name: "files.json") }
        return files
    }

    /// The files of the last good generation, for new ones to be held against; none with a warning where their list
    /// cannot be read. The next good load writes it anew.
    func knownFiles(_ warnings: inout [LoadWarning]) -> [ManifestFile] {
        do throws(LoadError) {
            return try files() ?? []
        } catch {
            let message = "\(directory): \(error); generation numbers are not held against it"
            warnings.append(LoadWarning(code: error.code, message: message))
            return []
        }
    }

    /// Block by block: a facts file may be larger than the memory.
    private static func copy(
        _ source: consuming FileDescriptor,
        to path: String
    ) throws(SystemCallError) {
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

    /// Stores what `present` holds; files that are there already are not written again.
    func store(_ present: PresentGeneration) throws(SystemCallError) {
        if (try? FileStatus(path: directory)) == nil {
            try Directory.make(path: directory, permissions: 0o700)
        }
        var kept: Set<String> = ["files.json"]
        for (index, file) in present.manifest.files.enumerated() {
            let name = Self.storedName(of: file)
            kept.insert(name)
            let path = "\(directory)/\(name)"
            if let status = try? FileStatus(path: path), status.byteCount == file.byteCount { continue }
            try Self.copy(present.descriptors.duplicate(at: index), to: path)
        }
        let list = JSONNode.object([
            ("sequence", .integer(Int64(present.manifest.sequence))),
            ("files", .array(present.manifest.files.map { $0.node() })),
        ])
        try AtomicFile.write(list.serialized(pretty: true).span, to: listPath, permissions: 0o600)
        let opened = try FileDescriptor.openDirectory(path: directory)
        for name in try Directory.names(in: opened, limitCount: LoaderLimits.nameCount)
        where !kept.contains(name) {
            try Directory.removeFile(path: "\(directory)/\(name)")
        }
    }
}
