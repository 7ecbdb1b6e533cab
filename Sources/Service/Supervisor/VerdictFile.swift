internal import JSON
internal import Loader
internal import System

/// `stateDirectory/reload.json`: how the last load ended, replaced atomically.
struct VerdictFile: Sendable {
    let path: String

    init(stateDirectory: String) {
        path = "\(stateDirectory)/reload.json"
    }

    /// What `--reload` and the next supervisor need of it.
    struct Content: Sendable, Hashable {
        let sequence: Int
        let startedMilliseconds: Int64
        let refusal: PoolRefusal?
    }

    /// The present content; nil when there is none that can be read.
    func read() -> Content? {
        guard let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: 1 << 20),
            let document = try? JSONDocument(
                parsing: bytes.span,
                limits: JSONLimits(byteCount: 1 << 20, depth: 8)
            ),
            let sequence = document.root.member("sequence")?.int64,
            let started = document.root.member("startedMonotonicMilliseconds")?.int64,
            let result = document.root.member("result")?.string
        else { return nil }
        var refusal: PoolRefusal?
        if result != "loaded" {
            refusal = PoolRefusal(
                code: document.root.member("code")?.string ?? "unknown",
                message: document.root.member("message")?.string ?? ""
            )
        }
        return Content(sequence: Int(sequence), startedMilliseconds: started, refusal: refusal)
    }

    /// Replaces it; `files` are those of the generation that serves.
    func write(
        _ verdict: PoolVerdict,
        files: [ManifestFile],
        wallMilliseconds: Int64
    ) throws(SystemCallError) {
        let serving = verdict.serving.map { generation in
            JSONNode.object([
                ("generation", .integer(Int64(generation))), ("files", .array(files.map { $0.node() })),
            ])
        }
        let node = JSONNode.object([
            ("sequence", .integer(Int64(verdict.sequence))),
            ("result", .string(verdict.refusal == nil ? "loaded" : "refused")),
            ("code", verdict.refusal.map { .string($0.code) } ?? .null),
            ("message", verdict.refusal.map { .string($0.message) } ?? .null),
            ("source", .string(verdict.source.rawValue)),
            ("startedMonotonicMilliseconds", .integer(verdict.startedMilliseconds)),
            ("finishedAtMilliseconds", .integer(wallMilliseconds)), ("serving", serving ?? .null),
        ])
        try AtomicFile.write(node.serialized(pretty: true).span, to: path, permissions: 0o644)
    }
}
