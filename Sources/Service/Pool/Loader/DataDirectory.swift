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

    func pushedFiles() throws(ServiceError) -> [CheckedFile] {
        let path = configuration.dataDirectory
        let directory = try SystemCallError.about(
            path, code: "data-directory-unreadable", try FileDescriptor.openDirectory(path: path))
        let status = try SystemCallError.about(
            path, code: "data-directory-unreadable", try FileStatus(of: directory))
        guard !status.isWorldWritable else {
            throw ServiceError(
                code: "data-directory-writable", "\(path): everybody may write here; chmod o-w \(path)")
        }
        let names = try SystemCallError.about(
            path, code: "data-directory-unreadable",
            try Directory.names(in: directory, limitCount: LoaderLimits.nameCount))
        if let old = names.first(where: { !$0.hasPrefix(".") && $0.hasSuffix(".rules") }) {
            throw ServiceError(
                code: "rules-format-old",
                "\(old): rules travel as JSON now: push \(old).json, which retentionctl compile writes, "
                    + "and remove \(old)")
        }
        let dataNames = names.filter { DataFileName.kind(of: $0) != nil }
        guard dataNames.count <= LoaderLimits.fileCount else {
            throw ServiceError(code: "too-many-files", "more than \(LoaderLimits.fileCount) data files")
        }
        var files: [CheckedFile] = []
        for name in dataNames { files.append(try check(name, in: directory)) }
        return files
    }

    func lastGoodFiles() throws(ServiceError) -> [CheckedFile] {
        guard let last else { throw .noLastGood }
        let opened = try SystemCallError.about(
            last.path, code: "file-unreadable", try FileDescriptor.openDirectory(path: last.path))
        var files: [CheckedFile] = []
        for file in last.manifest.files where configuration.answers(file.appAppleId, file.environment) {
            let found = try check(file.name, in: opened)
            guard found.file == file else {
                throw ServiceError(
                    code: "last-good-damaged",
                    "last good generation: \(file.name) is not what was stored; push good files, "
                        + "the next load stores them anew")
            }
            files.append(found)
        }
        return files
    }

    private func check(_ name: String, in directory: borrowing FileDescriptor) throws(ServiceError)
        -> CheckedFile
    {
        // With O_NOFOLLOW, open(2) fails with ELOOP for a symbolic link. For a unix socket it fails with ENXIO.
        let refusal = { (error: SystemCallError) in
            [.eloop, .enxio].contains(error.reason) ? notRegular(name) : unreadable(name, error)
        }
        let file = try SystemCallError.mapped(to: refusal, try directory.openEntry(named: name))
        let status = try SystemCallError.mapped(to: refusal, try FileStatus(of: file))
        guard status.kind == .regular else { throw notRegular(name) }
        guard !status.isGroupWritable, !status.isWorldWritable else {
            throw ServiceError(
                code: "file-writable", "\(name): group or others may write it; chmod go-w \(name)")
        }
        let kind = DataFileName.kind(of: name) ?? .rules
        let limit =
            switch kind {
            case .rules: configuration.limits.rulesBytes
            case .facts: configuration.limits.factsBytes
            }
        let byteCount = status.byteCount
        guard byteCount <= limit else {
            throw ServiceError(code: "file-too-large", "\(name): \(byteCount) bytes, the limit is \(limit)")
        }
        guard byteCount > 0 else { throw ofDataFile(name, DataFileError(.truncated, offset: 0)) }
        if kind == .rules { return try rules(name, file, byteCount: byteCount) }
        let header = try readHeader(of: file, byteCount: byteCount, name: name)
        if let linked = linked(header, as: name) { return linked }
        return try facts(name, file, byteCount: byteCount)
    }

    private func notRegular(_ name: String) -> ServiceError {
        ServiceError(code: "file-not-regular", "\(name): not a regular file")
    }

    private func unreadable(_ name: String, _ error: SystemCallError) -> ServiceError {
        ServiceError(code: "file-unreadable", "\(name): \(error)")
    }

    private func changed(_ name: String) -> ServiceError {
        ServiceError(
            code: "file-changed", "\(name): changed while it was copied; push by rename, not in place")
    }

    private func unwritten(_ name: String, _ error: SystemCallError) -> ServiceError {
        .copyNotMade(name, in: configuration.stateDirectory, error)
    }

    private func ofDataFile(_ name: String, _ error: DataFileError) -> ServiceError {
        ServiceError(code: error.code, "\(name): \(error)")
    }

    /// Reads pushed rules. The bytes are kept as they were pushed, and compiled into the form that workers map: this is the one
    /// place that knows of both.
    private func rules(_ name: String, _ file: borrowing FileDescriptor, byteCount: Int) throws(ServiceError)
        -> CheckedFile
    {
        let pushed = try SystemCallError.about(
            name, code: "file-unreadable", try file.readAll(limitBytes: byteCount))
        guard pushed.count == byteCount else { throw changed(name) }
        let model: RulesModel
        do throws(RulesSourceError) {
            model = try RulesSource.read(pushed)
        } catch {
            let finding = error.findings.first
            let place = [finding?.line, finding?.column].compactMap { $0.map(String.init) }
            let words = finding.map { ": \($0.message)" } ?? ""
            throw ServiceError(code: error.code, ([name] + place).joined(separator: ":") + words)
        }
        let mapped: OpenFile
        do throws(SystemCallError) {
            _ = try destination.store(pushed.span, as: name)
            let bytes = RulesFile.bytes(of: model, digest: SHA256.hash(pushed.span))
            mapped = try destination.store(bytes.span, as: ManifestFile.mappedName(of: name))
        } catch {
            throw unwritten(name, error)
        }
        let rules = try DataFileError.mapped(
            to: { ofDataFile(name, $0) }, giving: try Generation.map(mapped)
        ) { memory throws(DataFileError) in try RulesFile(mapping: memory) }
        if let failed = EmbeddedTests.run(model, rules).first(where: { !$0.passes }) {
            let differences = failed.differences.map(\.description).joined(separator: "; ")
            throw ServiceError(
                code: "embedded-test-failed", "\(name): test \"\(failed.name)\" fails: \(differences)")
        }
        return CheckedFile(
            file: ManifestFile(name: name, rules: rules, byteCount: byteCount),
            contents: .rules(read: rules.readFacts, signing: rules.neededSigning), mapped: mapped)
    }

    /// Copies a facts file to where nobody else can write, and checks the copy: a later change of the pushed file cannot matter.
    private func facts(_ name: String, _ file: borrowing FileDescriptor, byteCount: Int) throws(ServiceError)
        -> CheckedFile
    {
        let copy: OpenFile
        do throws(SystemCallError) {
            copy = try destination.copy(file, byteCount: byteCount, as: name)
        } catch {
            if error.isFileChanged { throw changed(name) }
            throw error.call == "read" ? unreadable(name, error) : unwritten(name, error)
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

    private func opened(_ file: OpenFile, name: String, check: DataFileCheck = .full) throws(ServiceError)
        -> CheckedFile
    {
        let digest =
            check == .full
            ? try SystemCallError.about(name, code: "load-system", try DigestCheck(file)) : nil
        let mapped = try Generation.map(file)
        let facts: FactsFile
        do throws(DataFileError) {
            facts = try FactsFile(mapping: mapped, check: check == .full ? .rows : check)
        } catch {
            throw ofDataFile(name, digest?.failure() ?? error)
        }
        if let failure = digest?.failure() { throw ofDataFile(name, failure) }
        return CheckedFile(
            file: ManifestFile(name: name, facts: facts.header, rowCount: facts.rowCount),
            contents: .facts(columns: facts.columns, offset: facts.columnsOffset), mapped: file)
    }

    /// Checks the header before the whole file is read, so that a large file which is not a data file of ours costs
    /// nothing. The copy is checked again, because the file may be another by then.
    private func readHeader(
        of file: borrowing FileDescriptor, byteCount: Int, name: String
    ) throws(ServiceError) -> DataFileHeader {
        var beginning = [UInt8](repeating: 0, count: min(byteCount, DataFileHeader.beginningByteCount))
        var filled = 0
        while filled < beginning.count {
            var rest = [UInt8](repeating: 0, count: beginning.count - filled)
            let count = try SystemCallError.about(
                name, code: "file-unreadable", try file.read(into: &rest, at: filled))
            // The file has become shorter in the meantime.
            guard count > 0 else { throw changed(name) }
            beginning.replaceSubrange(filled..<filled + count, with: rest[..<count])
            filled += count
        }
        return try DataFileError.about(
            name,
            try beginning.span.withRawBytes { bytes throws(DataFileError) in
                try DataFileHeader(beginning: bytes, fileByteCount: byteCount)
            })
    }
}

extension ServiceError {
    static func copyNotMade(_ name: String, in directory: String, _ error: SystemCallError) -> ServiceError {
        ServiceError(
            code: "copy-not-made",
            "\(name): cannot be written into \(directory): \(error); make room, or remove what stands there")
    }
}

extension Configuration {
    func answers(_ appAppleId: Int64, _ environment: Environment) -> Bool {
        apps.contains { $0.appAppleId == appAppleId && $0.environments.contains(environment) }
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
