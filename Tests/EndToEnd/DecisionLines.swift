import JSON
import Support

/// The whole lines of decision logs, by kind. Throws when a line is not JSON or of no kind.
struct DecisionLines {
    private(set) var records: [JSONValue] = []
    /// What workers write when they begin to serve a rules file.
    private(set) var rules: [JSONValue] = []
    /// What workers write when they end.
    private(set) var ends: [JSONValue] = []

    var count: Int { records.count + rules.count + ends.count }

    init(_ texts: [[UInt8]]) throws {
        for line in texts.flatMap({ $0.split(separator: UInt8(ascii: "\n")) }) {
            let limits = JSONLimits(byteCount: 4096, depth: 8)
            let root = try JSONDocument(parsing: Array(line).span, limits: limits).root
            if root.member("requestIdentifier") != nil {
                records.append(root)
            } else if root.member("rules") != nil {
                rules.append(root)
            } else if root.member("end") != nil {
                ends.append(root)
            } else {
                throw Complaint("a line of no kind: \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    init(_ names: String..., in folder: TemporaryDirectory) throws {
        try self.init(names.map { try folder.read($0) })
    }

    /// The numbers of each worker's records, in the order of the log.
    var sequences: [String: [Int64]] {
        var found: [String: [Int64]] = [:]
        for record in records {
            let instance = record.member("instance")?.string ?? ""
            found[instance, default: []].append(record.member("sequence")?.int64 ?? 0)
        }
        return found
    }

    /// The last number of each worker that has written its end.
    var lastNumbers: [String: Int64] {
        var found: [String: Int64] = [:]
        for end in ends { found[end.member("end")?.string ?? ""] = end.member("sequence")?.int64 }
        return found
    }
}
