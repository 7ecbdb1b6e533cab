package import Configuration
internal import JSON
internal import Loader
package import System

/// The verdict of the last load, as a file that is replaced atomically: `stateDirectory/reload.json`. When that file
/// cannot be written, for example on a full disk, the verdict is written beside the pid file as `pidFile.reload.json`,
/// with the reason.
package struct VerdictFile: Sendable {
    let path: String

    init(path: String) {
        self.path = path
    }

    /// The usual place of the verdict.
    init(_ configuration: Configuration) {
        path = "\(configuration.stateDirectory)/reload.json"
    }

    /// The place of the verdict when the usual place cannot be written.
    package init(spareOf configuration: Configuration) {
        path = "\(configuration.pidFile).reload.json"
    }

    /// The fields that `--reload`, `--served` and the next supervisor read.
    package struct Content: Sendable, Hashable {
        package let sequence: Int
        let startedMilliseconds: Int64
        let refusal: PoolRefusal?
        /// Why the verdict is not in `stateDirectory`; nil when it is there.
        let unwritten: String?
    }

    /// True when a file of any kind has this name.
    var isThere: Bool { (try? FileStatus(path: path, followingLinks: false)) != nil }

    /// Returns the content of the file; nil when there is no file, or none that a supervisor can have written.
    package func read() -> Content? {
        guard let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: 1 << 20),
            let document = try? JSONDocument(
                parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 8)),
            let sequence = document.root.member("sequence")?.int64,
            sequence > 0, sequence <= Int64(PoolLimits.sequenceLimit),
            let started = document.root.member("startedMonotonicMilliseconds")?.int64, started >= 0,
            let result = document.root.member("result")?.string
        else { return nil }
        var refusal: PoolRefusal?
        if result != "loaded" {
            refusal = PoolRefusal(
                code: document.root.member("code")?.string ?? "unknown",
                message: document.root.member("message")?.string ?? "")
        }
        return Content(
            sequence: Int(sequence), startedMilliseconds: started, refusal: refusal,
            unwritten: document.root.member("unwritten")?.string)
    }

    /// Replaces the file.
    package func write(_ verdict: PoolVerdict, wallMilliseconds: Int64, unwritten: String? = nil)
        throws(SystemCallError)
    {
        let reason = unwritten.map { [("unwritten", JSONNode.string($0))] } ?? []
        let node = JSONNode.object(
            [
                ("sequence", .integer(Int64(verdict.sequence))),
                ("result", .string(verdict.refusal == nil ? "loaded" : "refused")),
                ("code", verdict.refusal.map { .string($0.code) } ?? .null),
                ("message", verdict.refusal.map { .string($0.message) } ?? .null),
                ("source", .string(verdict.source.rawValue)),
                ("startedMonotonicMilliseconds", .integer(verdict.startedMilliseconds)),
                ("finishedAtMilliseconds", .integer(wallMilliseconds)),
                ("serving", verdict.serving.map { .integer(Int64($0)) } ?? .null),
            ] + reason
        )
        try AtomicFile.write(node.serialized(pretty: true).span, to: path, permissions: 0o644)
    }

    /// Removes the file, if it exists and can be removed.
    func remove() { try? Directory.removeFile(path: path) }
}
