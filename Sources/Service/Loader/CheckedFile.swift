internal import Configuration
internal import DataFiles
internal import System
internal import Vocabulary

/// A data file of the generation that is being loaded: a valid copy, or a file that the present generation has already.
struct CheckedFile: Sendable {
    /// Where the bytes of the file are.
    enum Place: Sendable {
        /// In new sealed memory, or in a new file without a name.
        case copied(DescriptorList)
        /// In the present generation, at this index.
        case loaded(Int)
    }

    let file: ManifestFile
    let place: Place
    let contents: FileContents
}

/// The manifest, keys and files of a generation, as descriptors. A loader compares new files with the generation that
/// serves, and a worker opens the generation that it is to serve.
struct PresentGeneration: Sendable {
    let manifest: Manifest
    /// The signing keys in sealed memory, see ``SigningKeyMemory``.
    let keys: DescriptorList
    let descriptors: DescriptorList

    init(manifest: Manifest, keys: DescriptorList, descriptors: DescriptorList) {
        self.manifest = manifest
        self.keys = keys
        self.descriptors = descriptors
    }

    /// Reads the manifest and takes over the descriptors that a supervisor placed.
    init(manifest: consuming FileDescriptor, keys: DescriptorList, firstFile: Int32) throws(LoadError) {
        let parsed = try Manifest.read(from: manifest)
        self.manifest = parsed
        self.keys = keys
        descriptors = DescriptorList(takingOwnership: parsed.files.indices.map { firstFile + Int32($0) })
    }

    /// Returns the index of the file that has exactly the bytes of `candidate`, or nil. `candidate` is read from its
    /// start.
    func index(ofSameBytesAs candidate: borrowing FileDescriptor, byteCount: Int) throws(SystemCallError)
        -> Int?
    {
        for (index, file) in manifest.files.enumerated() where file.byteCount == byteCount {
            try candidate.rewind()
            if try hasSameBytes(candidate, at: index) { return index }
        }
        try candidate.rewind()
        return nil
    }

    /// Returns true when `candidate`, read from its present position, has exactly the bytes of the file at `index`.
    func hasSameBytes(_ candidate: borrowing FileDescriptor, at index: Int) throws(SystemCallError) -> Bool {
        try Self.isEqual(MappedMemory(of: descriptors.duplicate(at: index)), candidate)
    }

    private static func isEqual(_ mapped: borrowing MappedMemory, _ file: borrowing FileDescriptor)
        throws(SystemCallError) -> Bool
    {
        // The first block is small, because files of two generations differ in their header.
        var blockByteCount = 4096
        var offset = 0
        while true {
            var block = [UInt8](repeating: 0, count: blockByteCount)
            let count = try file.read(into: &block)
            if count == 0 { return offset == mapped.byteCount }
            let part = block[..<count]
            guard mapped.withBytes({ $0.matches(part.span, at: offset) }) else { return false }
            offset += count
            blockByteCount = 1 << 20
        }
    }
}
