public import Configuration
public import System
internal import Vocabulary

/// The generations in `stateDirectory`: a directory `generations/N` for each, and the link `current` to the one that serves.
///
/// A directory is written under a hidden name, synchronised and renamed, and the link is replaced by a rename: so neither a kill
/// nor a power cut leaves half of anything that is used.
public struct GenerationStore {
    private let stateDirectory: String
    let layer: any DirectoryLayer

    /// Refers to the generations of a pool, which need not exist.
    public init(_ configuration: Configuration) {
        self.init(stateDirectory: configuration.stateDirectory)
    }

    package init(stateDirectory: String, layer: any DirectoryLayer = SystemFileLayer()) {
        self.stateDirectory = stateDirectory
        self.layer = layer
    }

    private var directory: String { "\(stateDirectory)/generations" }

    public func path(of number: Int) -> String { "\(directory)/\(number)" }

    /// The number of the generation that every worker served last; nil when there is none.
    public var current: Int? {
        let words = Directory.linkTarget(path: "\(stateDirectory)/current")?.split(separator: "/") ?? []
        return words.count == 2 && words[0] == "generations" ? Int(words[1]) : nil
    }

    /// The highest number of a directory; 0 when there is none.
    public var lastNumber: Int { names.compactMap { Int($0) }.max() ?? 0 }

    private var names: [String] {
        guard let opened = try? FileDescriptor.openDirectory(path: directory) else { return [] }
        return (try? Directory.names(in: opened, limitCount: LoaderLimits.nameCount)) ?? []
    }

    /// Makes a generation the one from which the next start serves.
    public func makeCurrent(_ number: Int) throws(SystemCallError) {
        let link = "\(stateDirectory)/.current"
        layer.remove(link)
        try layer.symbolicLink(to: "generations/\(number)", at: link)
        try layer.rename(link, to: "\(stateDirectory)/current")
        try layer.synchronizeDirectory(stateDirectory)
    }

    /// Begins the directory of a new generation, and removes those that are not needed any more. `serving` is the generation that
    /// serves, which usually is ``current``. It stays, and so does the one before it.
    func begin(_ number: Int, serving: Int?) throws(SystemCallError) -> GenerationWriter {
        if (try? FileStatus(path: directory)) == nil {
            try layer.makeDirectory(directory)
            try layer.synchronizeDirectory(stateDirectory)
        }
        let needed = [serving, current].compactMap { $0 }
        let before = names.compactMap { Int($0) }.filter { $0 < needed.max() ?? 0 && !needed.contains($0) }
        let kept = Set(needed + [before.max()].compactMap { $0 })
        for name in names where !(Int(name).map { kept.contains($0) } ?? false) {
            layer.removeTree("\(directory)/\(name)")
        }
        let hidden = "\(directory)/.new-\(number)"
        try layer.makeDirectory(hidden)
        return GenerationWriter(layer: layer, hidden: hidden, path: path(of: number), parent: directory)
    }
}

/// The directory of a new generation, under its hidden name.
struct GenerationWriter {
    let layer: any DirectoryLayer
    let hidden: String
    let path: String
    let parent: String

    /// Makes a file that only the pool can read and nobody is to write any more.
    func create(_ name: String) throws(SystemCallError) -> OpenFile {
        try layer.create("\(hidden)/\(name)", permissions: 0o400)
    }

    func write(_ bytes: Span<UInt8>, as name: String) throws(SystemCallError) -> OpenFile {
        let file = try create(name)
        try layer.write(bytes, to: file)
        try layer.synchronize(file)
        return file
    }

    /// Gives a file of another generation a name in this one. Its bytes are on the disk already.
    func link(_ other: String, as name: String) throws(SystemCallError) -> OpenFile {
        let place = "\(hidden)/\(name)"
        try layer.link(other, to: place)
        return OpenFile(try FileDescriptor.openForReading(path: place))
    }

    func remove(_ name: String) { layer.remove("\(hidden)/\(name)") }

    /// Puts the directory in its place, once the disk has all of it.
    func commit() throws(SystemCallError) {
        try layer.synchronizeDirectory(hidden)
        try layer.rename(hidden, to: path)
        try layer.synchronizeDirectory(parent)
    }

    func discard() { layer.removeTree(hidden) }
}

extension DirectoryLayer {
    /// Removes a directory of files, or a file; ignores failures.
    fileprivate func removeTree(_ path: String) {
        if let opened = try? FileDescriptor.openDirectory(path: path) {
            let names = (try? Directory.names(in: opened, limitCount: LoaderLimits.nameCount)) ?? []
            for name in names { remove("\(path)/\(name)") }
        }
        remove(path)
        removeDirectory(path)
    }
}

/// A generation in its directory, as a loader compares new files with it.
struct StoredGeneration {
    let path: String
    let manifest: Manifest

    /// Reads the manifest; nil when the directory is gone or not as a loader writes it.
    init?(_ number: Int?, in store: GenerationStore) {
        guard let number, let manifest = try? Manifest.read(in: store.path(of: number)) else { return nil }
        path = store.path(of: number)
        self.manifest = manifest
    }
}
