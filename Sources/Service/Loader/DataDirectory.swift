internal import Configuration
internal import DataFiles
internal import Decisions
internal import System
internal import Vocabulary

/// The files of one load, read from `dataDirectory` or from the last good generation.
struct DataDirectory {
    let configuration: Configuration
    let present: PresentGeneration?
    let wallMilliseconds: Int64

    /// Every data file in `dataDirectory`, in the order of their names.
    func pushedFiles() throws(LoadError) -> [CheckedFile] {
        let path = configuration.dataDirectory
        let unreadable = { (error: SystemCallError) in LoadError.dataDirectoryUnreadable(path: path, error) }
        let directory = try LoadError.wrapping(unreadable) { () throws(SystemCallError) in
            try FileDescriptor.openDirectory(path: path)
        }
        let status = try LoadError.wrapping(unreadable) { () throws(SystemCallError) in
            try FileStatus(of: directory)
        }
        guard !status.isWorldWritable else { throw .dataDirectoryWritable(path: path) }
        let names = try LoadError.wrapping(unreadable) { () throws(SystemCallError) in
            try Directory.names(in: directory, limitCount: LoaderLimits.nameCount)
        }
        let dataNames = names.filter { DataFileName.kind(of: $0) != nil }
        guard dataNames.count <= LoaderLimits.fileCount else {
            throw .tooManyFiles(limit: LoaderLimits.fileCount)
        }
        var files: [CheckedFile] = []
        for name in dataNames { files.append(try check(name, in: directory)) }
        return files
    }

    /// Opens, seals and validates one file.
    func check(_ name: String, in directory: borrowing FileDescriptor) throws(LoadError) -> CheckedFile {
        // O_NOFOLLOW says ELOOP for a symbolic link; opening a unix socket says ENXIO.
        let file = try LoadError.wrapping {
            $0.number == Self.linkRefusal || $0.number == Self.socketRefusal
                ? .fileNotRegular(name: name) : .fileUnreadable(name: name, $0)
        } _: { () throws(SystemCallError) in
            try directory.openEntry(named: name)
        }
        let unreadable = { (error: SystemCallError) in LoadError.fileUnreadable(name: name, error) }
        let status = try LoadError.wrapping(unreadable) { () throws(SystemCallError) in
            try FileStatus(of: file)
        }
        guard status.kind == .regular else { throw .fileNotRegular(name: name) }
        guard !status.isGroupWritable, !status.isWorldWritable else { throw .fileWritable(name: name) }
        let promised = DataFileName.kind(of: name) ?? .rules
        guard promised == .rules else { throw .factsNotSupported(name: name) }
        let limit = min(configuration.limits.rulesBytes, configuration.limits.sealCopyBytes)
        guard status.byteCount <= limit else {
            throw .fileTooLarge(name: name, byteCount: status.byteCount, limit: limit)
        }
        guard status.byteCount > 0 else { throw .dataFile(name: name, DataFileError(.truncated, offset: 0)) }
        if status.byteCount > LoaderLimits.backgroundByteCount, BackgroundWork.isSet() {
            BackgroundWork.set(false)
        }
        let known = try LoadError.wrapping(unreadable) { () throws(SystemCallError) in
            try present?.index(ofSameBytesAs: file, byteCount: status.byteCount)
        }
        if let present, let known {
            return CheckedFile(file: present.manifest.files[known].named(name), place: .loaded(known))
        }
        return try seal(name, file, byteCount: status.byteCount)
    }

    /// Copies a file into sealed memory and validates the copy: what happens to the file afterwards cannot matter.
    private func seal(
        _ name: String,
        _ file: borrowing FileDescriptor,
        byteCount: Int
    ) throws(LoadError) -> CheckedFile {
        let sealed = try LoadError.wrapping {
            $0.number == Self.sizeRefusal ? .fileChanged(name: name) : .fileUnreadable(name: name, $0)
        } _: { () throws(SystemCallError) in
            try SealedMemory(copying: file, byteCount: byteCount, name: name)
        }
        let mapped = try LoadError.wrapping {
            .fileUnreadable(name: name, $0)
        } _: { () throws(SystemCallError) in
            try MappedMemory(of: sealed.descriptor)
        }
        let header = try Self.validate(mapped, name: name)
        let number = sealed.releaseDescriptor()
        return CheckedFile(
            file: ManifestFile(name: name, header: header),
            place: .copied(DescriptorList(takingOwnership: [number]))
        )
    }

    private static func validate(
        _ mapped: consuming MappedMemory,
        name: String
    ) throws(LoadError) -> DataFileHeader {
        let rules: RulesFile
        do throws(DataFileError) {
            rules = try RulesFile(mapping: mapped, check: .full)
        } catch {
            throw .dataFile(name: name, error)
        }
        if let failed = EmbeddedTests.run(rules).first(where: { !$0.passes }) {
            let differences = failed.differences.map(\.description).joined(separator: "; ")
            throw .embeddedTestFailed(name: name, test: failed.name, differences: differences)
        }
        return rules.header
    }

    // errno values, by name in errno(3): ELOOP, ENXIO, EFBIG.
    private static let linkRefusal: Int32 = 40
    private static let socketRefusal: Int32 = 6
    private static let sizeRefusal: Int32 = 27
}
