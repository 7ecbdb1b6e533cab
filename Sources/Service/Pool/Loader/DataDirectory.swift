internal import Configuration
internal import Cryptography
internal import Facts
internal import Rules
internal import Synchronization
internal import System

/// Reads and checks the files of one load, from `dataDirectory` or from the last good generation.
struct DataDirectory {
    let configuration: Configuration
    /// The generation that serves, or the last one that did; nil when there is none.
    let last: StoredGeneration?
    let destination: LoadDestination

    func pushedFiles() throws(LoadError) -> [CheckedFile] {
        let path = configuration.dataDirectory
        let unreadable = { (error: SystemCallError) in LoadError.dataDirectoryUnreadable(path: path, error) }
        let directory = try SystemCallError.mapped(
            to: unreadable, try FileDescriptor.openDirectory(path: path))
        let status = try SystemCallError.mapped(to: unreadable, try FileStatus(of: directory))
        guard !status.isWorldWritable else { throw .dataDirectoryWritable(path: path) }
        let names = try SystemCallError.mapped(
            to: unreadable, try Directory.names(in: directory, limitCount: LoaderLimits.nameCount))
        if let old = names.first(where: { !$0.hasPrefix(".") && $0.hasSuffix(".rules") }) {
            throw .rulesFormatOld(name: old)
        }
        let dataNames = names.filter { DataFileName.kind(of: $0) != nil }
        guard dataNames.count <= LoaderLimits.fileCount else {
            throw .tooManyFiles(limit: LoaderLimits.fileCount)
        }
        var files: [CheckedFile] = []
        for name in dataNames { files.append(try check(name, in: directory)) }
        return files
    }

    func lastGoodFiles() throws(LoadError) -> [CheckedFile] {
        guard let last else { throw .noLastGood }
        let opened = try SystemCallError.mapped(
            to: { LoadError.fileUnreadable(name: last.path, $0) },
            try FileDescriptor.openDirectory(path: last.path))
        var files: [CheckedFile] = []
        for file in last.manifest.files {
            let isConfigured = configuration.apps.contains {
                $0.appAppleId == file.appAppleId && $0.environments.contains(file.environment)
            }
            guard isConfigured else { continue }
            let found = try check(file.name, in: opened)
            guard found.file == file else { throw .lastGoodDamaged(name: file.name) }
            files.append(found)
        }
        return files
    }

    private func check(_ name: String, in directory: borrowing FileDescriptor) throws(LoadError)
        -> CheckedFile
    {
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
        let byteCount = status.byteCount
        guard byteCount <= limit else {
            throw .fileTooLarge(name: name, byteCount: byteCount, limit: limit)
        }
        guard byteCount > 0 else { throw .dataFile(name: name, DataFileError(.truncated, offset: 0)) }
        if kind == .rules { return try rules(name, file, byteCount: byteCount) }
        let header = try readHeader(of: file, byteCount: byteCount, name: name)
        if let linked = linked(header, as: name) { return linked }
        return try facts(name, file, byteCount: byteCount)
    }

    /// Reads pushed rules. The bytes are kept as they were pushed, and compiled into the form that workers map: this is the one
    /// place that knows of both.
    private func rules(_ name: String, _ file: borrowing FileDescriptor, byteCount: Int) throws(LoadError)
        -> CheckedFile
    {
        let pushed = try SystemCallError.mapped(
            to: { LoadError.fileUnreadable(name: name, $0) }, try file.readAll(limitBytes: byteCount))
        guard pushed.count == byteCount else { throw .fileChanged(name: name) }
        let model = try RulesSourceError.mapped(
            to: { LoadError.rules(name: name, $0) }, try RulesSource.read(pushed))
        _ = try writing(name) { () throws(SystemCallError) in try destination.store(pushed.span, as: name) }
        let bytes = RulesFile.bytes(of: model, digest: SHA256.hash(pushed.span))
        let mapped = try writing(name) { () throws(SystemCallError) in
            try destination.store(bytes.span, as: ManifestFile.mappedName(of: name))
        }
        let memory = try SystemCallError.mapped(to: LoadError.system, try MappedMemory(of: mapped.descriptor))
        let rules = try DataFileError.mapped(
            to: { LoadError.dataFile(name: name, $0) },
            giving: memory
        ) { memory throws(DataFileError) in try RulesFile(mapping: memory) }
        try Self.runTests(of: model, rules, name)
        return CheckedFile(
            file: ManifestFile(name: name, rules: rules, byteCount: byteCount),
            contents: .rules(read: rules.readFacts, signing: rules.neededSigning), mapped: mapped)
    }

    private static func runTests(of model: RulesModel, _ rules: RulesFile, _ name: String) throws(LoadError) {
        guard let failed = EmbeddedTests.run(model, rules).first(where: { !$0.passes }) else { return }
        let differences = failed.differences.map(\.description).joined(separator: "; ")
        throw .embeddedTestFailed(name: name, test: failed.name, differences: differences)
    }

    /// Copies a facts file to where nobody else can write, and checks the copy: a later change of the pushed file cannot matter.
    private func facts(_ name: String, _ file: borrowing FileDescriptor, byteCount: Int) throws(LoadError)
        -> CheckedFile
    {
        let copy: OpenFile
        do throws(SystemCallError) {
            copy = try destination.copy(file, byteCount: byteCount, as: name)
        } catch {
            if error.isFileChanged { throw .fileChanged(name: name) }
            throw error.call == "read" ? .fileUnreadable(name: name, error) : unwritten(name, error)
        }
        // The check needs the processor while the disk writes.
        let checked = try opened(copy, name: name)
        try SystemCallError.mapped(to: { unwritten(name, $0) }, try destination.synchronize(checked.mapped))
        return checked
    }

    /// Takes the file of the last generation that has this header, whose digest covers all of the file. Nil when there is none, and
    /// when the disk has damaged it: in another boot than that of its check, all of it is checked again.
    private func linked(_ header: DataFileHeader, as name: String) -> CheckedFile? {
        guard let last else { return nil }
        let same = last.manifest.files.first {
            $0.named(name) == ManifestFile(name: name, facts: header, rowCount: $0.rowCount ?? 0)
        }
        guard let same, let file = try? destination.link("\(last.path)/\(same.name)", as: name) else {
            return nil
        }
        let check: DataFileCheck = last.manifest.isOfThisBoot ? .structure : .full
        if let checked = try? opened(file, name: name, check: check), checked.file == same.named(name) {
            return checked
        }
        destination.remove(name)
        return nil
    }

    private func opened(_ file: OpenFile, name: String, check: DataFileCheck = .full) throws(LoadError)
        -> CheckedFile
    {
        let digest =
            check == .full ? try SystemCallError.mapped(to: LoadError.system, try DigestCheck(file)) : nil
        let mapped = try SystemCallError.mapped(to: LoadError.system, try MappedMemory(of: file.descriptor))
        let facts: FactsFile
        do throws(DataFileError) {
            facts = try FactsFile(mapping: mapped, check: check == .full ? .rows : check)
        } catch {
            throw .dataFile(name: name, digest?.failure() ?? error)
        }
        if let failure = digest?.failure() { throw .dataFile(name: name, failure) }
        return CheckedFile(
            file: ManifestFile(name: name, facts: facts.header, rowCount: facts.rowCount),
            contents: .facts(columns: facts.columns, offset: facts.columnsOffset), mapped: file)
    }

    private func writing(_ name: String, _ body: () throws(SystemCallError) -> OpenFile) throws(LoadError)
        -> OpenFile
    {
        try SystemCallError.mapped(to: { unwritten(name, $0) }, try body())
    }

    private func unwritten(_ name: String, _ error: SystemCallError) -> LoadError {
        .copyNotMade(name: name, directory: configuration.stateDirectory, error)
    }

    /// Checks the header before the whole file is read, so that a large file which is not a data file of ours costs
    /// nothing. The copy is checked again, because the file may be another by then.
    private func readHeader(
        of file: borrowing FileDescriptor, byteCount: Int, name: String
    ) throws(LoadError) -> DataFileHeader {
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
        return try DataFileError.mapped(
            to: { LoadError.dataFile(name: name, $0) },
            try beginning.span.withRawBytes { bytes throws(DataFileError) in
                try DataFileHeader(beginning: bytes, fileByteCount: byteCount)
            }
        )
    }
}

/// Compares the digest of a facts file in a thread of its own, while the rows are checked.
private final class DigestCheck: Sendable {
    private let done: WakeUp
    private let found = Mutex<DataFileError?>(nil)

    init(_ file: OpenFile) throws(SystemCallError) {
        done = try WakeUp()
        let memory = try MappedMemory(of: file.descriptor)
        try ServiceThread.start { [self] in
            do throws(DataFileError) {
                try memory.withBytes { bytes throws(DataFileError) in
                    _ = try DataFileHeader(opening: bytes, check: .full)
                }
            } catch {
                found.withLock { $0 = error }
            }
            done.announce()
        }
    }

    /// Waits for the end of the check.
    func failure() -> DataFileError? {
        while ((try? Readiness.wait(for: [done.descriptor.number], timeoutMilliseconds: -1)) ?? []).isEmpty {}
        return found.withLock { $0 }
    }
}

/// A data file of the generation that is being loaded: a valid copy.
struct CheckedFile {
    let file: ManifestFile
    let contents: FileContents
    let mapped: OpenFile
}

enum LoadDestination {
    case directory(GenerationWriter)
    case memory

    func store(_ bytes: Span<UInt8>, as name: String) throws(SystemCallError) -> OpenFile {
        switch self {
        case .directory(let writer): return try writer.write(bytes, as: name)
        case .memory:
            let file = try OpenFile.inMemory()
            try file.descriptor.write(bytes)
            return file
        }
    }

    /// Stores a copy of a file, block by block, because a facts file may be larger than the memory. Not all of it is on the disk
    /// before ``synchronize(_:)``.
    func copy(_ source: borrowing FileDescriptor, byteCount: Int, as name: String) throws(SystemCallError)
        -> OpenFile
    {
        switch self {
        case .directory(let writer):
            let file = try writer.create(name)
            try writer.layer.copy(source, byteCount: byteCount, to: file)
            return file
        case .memory:
            let file = try OpenFile.inMemory()
            try file.descriptor.write(copying: source, byteCount: byteCount)
            return file
        }
    }

    func synchronize(_ file: OpenFile) throws(SystemCallError) {
        if case .directory(let writer) = self { try writer.layer.synchronize(file) }
    }

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
    case rules(read: [(name: String, kind: ValueKind)], signing: SigningCapabilities)
    case facts(columns: [FactColumn], offset: Int)
}
