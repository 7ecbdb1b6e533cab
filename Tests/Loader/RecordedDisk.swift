import Support
import System

/// A disk for one state directory: it makes every call, and knows after each what a power cut would leave. On demand it is full,
/// or forgets to synchronise.
final class RecordedDisk: DirectoryLayer {
    private let system = SystemFileLayer()
    private let root: String
    /// True when no copy of a file fits.
    var isFull = false
    /// The negative control: fsync does nothing.
    var isForgetful = false
    /// What a power cut after each call would leave, at worst and when the journal has kept all names. The paths are those below the
    /// state directory.
    private(set) var cuts: [[String: Entry]] = []

    enum Entry {
        case directory
        case file([UInt8])
        case link(String)
    }

    /// An inode: what processes see, and what the disk has.
    private final class Node {
        var target: String?
        var isDirectory = false
        var kept: [UInt8] = []
        var live: [String: Node] = [:]
        var durable: [String: Node] = [:]
    }

    private let top = Node()
    private var open: [ObjectIdentifier: (file: OpenFile, node: Node)] = [:]

    /// `root` is the state directory, which must be empty.
    init(root: String = "/") {
        self.root = root
        top.isDirectory = true
    }

    private func place(_ path: String) -> (parent: Node, name: String) {
        let names = path.dropFirst(root.count).split(separator: "/").map(String.init)
        var parent = top
        for name in names.dropLast() { parent = parent.live[name] ?? Node() }
        return (parent, names.last ?? "")
    }

    private func record() {
        for keepsNames in [false, true] {
            var entries: [String: Entry] = [:]
            func add(_ node: Node, _ path: String) {
                for (name, child) in keepsNames ? node.live : node.durable {
                    let place = path.isEmpty ? name : "\(path)/\(name)"
                    if let target = child.target {
                        entries[place] = .link(target)
                    } else if child.isDirectory {
                        entries[place] = .directory
                        add(child, place)
                    } else {
                        entries[place] = .file(child.kept)
                    }
                }
            }
            add(top, "")
            cuts.append(entries)
        }
    }

    private func put(_ node: Node, at path: String) {
        let (parent, name) = place(path)
        parent.live[name] = node
        record()
    }

    func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile {
        let file = try system.create(path, permissions: permissions)
        let node = Node()
        open[ObjectIdentifier(file)] = (file, node)
        put(node, at: path)
        return file
    }

    func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError) {
        try system.write(bytes, to: file)
        record()
    }

    func copy(_ source: borrowing FileDescriptor, byteCount: Int, to file: OpenFile) throws(SystemCallError) {
        guard !isFull else { throw SystemCallError(call: "write", .eio) }
        try system.copy(source, byteCount: byteCount, to: file)
        record()
    }

    func synchronize(_ file: OpenFile) throws(SystemCallError) {
        try system.synchronize(file)
        if !isForgetful, let node = open[ObjectIdentifier(file)]?.node {
            var bytes = [UInt8](repeating: 0, count: try FileStatus(of: file.descriptor).byteCount)
            if !bytes.isEmpty { _ = try file.descriptor.read(into: &bytes, at: 0) }
            node.kept = bytes
        }
        record()
    }

    func close(_ file: OpenFile) throws(SystemCallError) { try system.close(file) }

    func rename(_ path: String, to other: String) throws(SystemCallError) {
        try system.rename(path, to: other)
        let (parent, name) = place(path)
        guard let node = parent.live.removeValue(forKey: name) else { return }
        put(node, at: other)
    }

    func synchronizeDirectory(_ path: String) throws(SystemCallError) {
        try system.synchronizeDirectory(path)
        let (parent, name) = place(path)
        let node = name.isEmpty ? top : parent.live[name] ?? Node()
        if !isForgetful { node.durable = node.live }
        record()
    }

    func remove(_ path: String) {
        system.remove(path)
        guard (try? FileStatus(path: path, followingLinks: false)) == nil else { return }
        let (parent, name) = place(path)
        parent.live[name] = nil
        record()
    }

    func makeDirectory(_ path: String) throws(SystemCallError) {
        try system.makeDirectory(path)
        let node = Node()
        node.isDirectory = true
        put(node, at: path)
    }

    func link(_ path: String, to other: String) throws(SystemCallError) {
        try system.link(path, to: other)
        let (parent, name) = place(path)
        if let node = parent.live[name] { put(node, at: other) }
    }

    func symbolicLink(to target: String, at path: String) throws(SystemCallError) {
        try system.symbolicLink(to: target, at: path)
        let node = Node()
        node.target = target
        put(node, at: path)
    }

    func removeDirectory(_ path: String) {
        system.removeDirectory(path)
        guard (try? FileStatus(path: path, followingLinks: false)) == nil else { return }
        let (parent, name) = place(path)
        parent.live[name] = nil
        record()
    }
}
