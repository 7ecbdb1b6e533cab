internal import Configuration
internal import DataFiles
internal import System
internal import Vocabulary

/// Reads and checks the files of one load, from `dataDirectory` or from the last good generation.
struct DataDirectory {
    let configuration: Configuration
    let present: PresentGeneration?
    let wallMilliseconds: Int64

    /// Reads every data file in `dataDirectory`, in the order of their names.
    func pushedFiles() throws(LoadError) -> [CheckedFile] {
        let path = configuration.dataDirectory
        let unreadable = { (error: SystemCallError) in LoadError.dataDirectoryUnreadable(path: path, error) }
        let directory = try SystemCallError.mapped(
            to: unreadable, try FileDescriptor.openDirectory(path: path))
        let status = try SystemCallError.mapped(to: unreadable, try FileStatus(of: directory))
        guard !status.isWorldWritable else { throw .dataDirectoryWritable(path: path) }
        let names = try SystemCallError.mapped(
            to: unreadable, try Directory.names(in: directory, limitCount: LoaderLimits.nameCount))
        let dataNames = names.filter { DataFileName.kind(of: $0) != nil }
        guard dataNames.count <= LoaderLimits.fileCount else {
            throw .tooManyFiles(limit: LoaderLimits.fileCount)
        }
        var files: [CheckedFile] = []
        for name in dataNames { files.append(try check(name, in: directory)) }
        return files
    }

    /// Opens and checks one file. Copies and validates it, unless the present generation has a file with the same
    /// bytes.
    func check(_ name: String, in directory: borrowing FileDescriptor) throws(LoadError) -> CheckedFile {
        // With O_NOFOLLOW, open(2) fails with ELOOP for a symbolic link. For a unix socket it fails with ENXIO.
        let file = try SystemCallError.mapped(
            to: {
                $0.reason == .eloop || $0.reason == .enxio
                    ? LoadError.fileNotRegular(name: name) : .fileUnreadable(name: name, $0)
            },
            try directory.openEntry(named: name)
        )
        let unreadable = { (error: SystemCallError) in LoadError.fileUnreadable(name: name, error) }
        let status = try SystemCallError.mapped(to: unreadable, try FileStatus(of: file))
        guard status.kind == .regular else { throw .fileNotRegular(name: name) }
        guard !status.isGroupWritable, !status.isWorldWritable else { throw .fileWritable(name: name) }
        let kind = DataFileName.kind(of: name) ?? .rules
        let limit =
            switch kind {
            case .rules: configuration.limits.rulesBytes
            case .facts: configuration.limits.factsBytes
            }
        guard status.byteCount <= limit else {
            throw .fileTooLarge(name: name, byteCount: status.byteCount, limit: limit)
        }
        guard status.byteCount > 0 else { throw .dataFile(name: name, DataFileError(.truncated, offset: 0)) }
        try checkHeader(of: file, byteCount: status.byteCount, kind, name: name)
        if status.byteCount > LoaderLimits.holeByteCount {
            let least = status.byteCount / LoaderLimits.holeRatio
            let dataByteCount = try SystemCallError.mapped(
                to: unreadable, try file.dataByteCount(upTo: least))
            guard dataByteCount >= least else { throw .fileSparse(name: name, byteCount: status.byteCount) }
        }
        let known = try SystemCallError.mapped(
            to: unreadable, try present?.index(ofSameBytesAs: file, byteCount: status.byteCount))
        if let present, let known { return try keep(known, of: present, name: name, kind) }
        return try copy(name, file, byteCount: status.byteCount, kind)
    }

    /// Checks the header before the whole file is read, so that a large file which is not a data file of ours costs
    /// nothing. The copy is checked again, because the file may be another by then.
    private func checkHeader(
        of file: borrowing FileDescriptor, byteCount: Int, _ kind: DataFileKind, name: String
    ) throws(LoadError) {
        var beginning = [UInt8](repeating: 0, count: min(byteCount, DataFileHeader.beginningByteCount))
        var filled = 0
        while filled < beginning.count {
            var rest = [UInt8](repeating: 0, count: beginning.count - filled)
            let count = try SystemCallError.mapped(
                to: { LoadError.fileUnreadable(name: name, $0) },
                try file.read(into: &rest, at: filled)
            )
            // The file has become shorter in the meantime.
            guard count > 0 else { throw .fileChanged(name: name) }
            beginning.replaceSubrange(filled..<filled + count, with: rest[..<count])
            filled += count
        }
        try DataFileError.mapped(
            to: { LoadError.dataFile(name: name, $0) },
            try beginning.span.withRawBytes { bytes throws(DataFileError) in
                try DataFileHeader(beginning: bytes, fileByteCount: byteCount).check(is: kind)
            }
        )
    }

    /// Returns a file that the present generation has already: its bytes have been checked, and stay where they are.
    private func keep(_ index: Int, of present: PresentGeneration, name: String, _ kind: DataFileKind)
        throws(LoadError) -> CheckedFile
    {
        let mapped = try SystemCallError.mapped(
            to: LoadError.system, try MappedMemory(of: present.descriptors.duplicate(at: index)))
        return CheckedFile(
            file: present.manifest.files[index].named(name), place: .loaded(index),
            contents: try FileContents.open(mapped, kind: kind, name: name, check: .structure).contents)
    }

    /// Copies a file to where nobody else can write, and validates the copy. A later change of the file cannot matter.
    private func copy(_ name: String, _ file: borrowing FileDescriptor, byteCount: Int, _ kind: DataFileKind)
        throws(LoadError) -> CheckedFile
    {
        let frozen = try freeze(name, file, byteCount: byteCount)
        let mapped = try SystemCallError.mapped(
            to: { LoadError.fileUnreadable(name: name, $0) },
            try MappedMemory(of: frozen.descriptor)
        )
        let found = try FileContents.open(mapped, kind: kind, name: name, check: .full)
        let number = frozen.releaseDescriptor()
        return CheckedFile(
            file: ManifestFile(name: name, header: found.header, rowCount: found.contents.rowCount),
            place: .copied(DescriptorList(takingOwnership: [number])), contents: found.contents)
    }

    /// Copies a file into sealed memory, or into a file without a name when it is larger than `sealCopyBytes`.
    private func freeze(_ name: String, _ file: borrowing FileDescriptor, byteCount: Int) throws(LoadError)
        -> ImmutableFile
    {
        let directory = configuration.stateDirectory
        let isSmall = byteCount <= configuration.limits.sealCopyBytes
        return try SystemCallError.mapped(
            to: { error in
                if error.isFileChanged { return LoadError.fileChanged(name: name) }
                return isSmall || error.call == "read"
                    ? .fileUnreadable(name: name, error)
                    : .copyNotMade(name: name, directory: directory, error)
            },
            isSmall
                ? ImmutableFile(try SealedMemory(copying: file, byteCount: byteCount, name: name))
                : ImmutableFile(try UnnamedFile(copying: file, byteCount: byteCount, in: directory))
        )
    }
}
