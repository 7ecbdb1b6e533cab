internal import JSON
internal import Vocabulary

/// The form in which a ledger is kept in a file.
extension RateLedger {
    /// The reasons why a text is not a ledger.
    enum ReadingError: Error {
        /// The text is something else, or it is damaged.
        case damaged
        /// A newer version wrote the text.
        case newer
    }

    /// The value of `kind`, which tells the file from any other.
    private static let kind = "retentionctl-rates"
    /// The number of the form. It changes when an older version could misread the file.
    private static let format: Int64 = 1
    /// The size limit in bytes. One kind has at most 365 spans of at most 20 bytes; this is room for 500 kinds.
    static let byteCount = 4 << 20
    /// The last moment of the year 9999, milliseconds since 1970. No later time is in a file, so that no sum overflows.
    private static let lastMilliseconds: Int64 = 253_402_300_800_000
    /// The greatest number of calls in a span. Apple allows less in an hour.
    private static let countLimit: Int64 = 1_000_000

    /// The ledger as JSON text, with a line feed at its end.
    var json: [UInt8] {
        let sorted = windows.sorted { Self.order($0.key).lexicographicallyPrecedes(Self.order($1.key)) }
        let list = sorted.map { key, window in
            JSONNode.object([
                ("app", .string(key.bundleId)), ("environment", .string(key.server.environment.rawValue)),
                ("server", .string(key.server.baseURL)), ("operation", .string(key.operation.rawValue)),
                ("blockedUntil", .integer(window.blockedUntilMilliseconds)),
                (
                    "calls",
                    .array(window.buckets.map { .array([.integer($0.index), .integer(Int64($0.count))]) })
                ),
            ])
        }
        let root = JSONNode.object([
            ("kind", .string(Self.kind)), ("format", .integer(Self.format)), ("windows", .array(list)),
        ])
        return root.serialized() + [UInt8(ascii: "\n")]
    }

    private static func order(_ key: RateKey) -> [String] {
        [key.bundleId, key.server.environment.rawValue, key.server.baseURL, key.operation.rawValue]
    }

    /// Reads the text of a ledger. Accepts nothing but what ``json`` writes.
    init(reading text: [UInt8]) throws(ReadingError) {
        let limits = JSONLimits(byteCount: Self.byteCount, depth: 8)
        guard let document = try? JSONDocument(parsing: text.span, limits: limits),
            document.root.member("kind")?.string == Self.kind,
            let format = document.root.member("format")?.int64, format >= Self.format
        else { throw .damaged }
        guard format == Self.format else { throw .newer }
        guard let list = document.root.member("windows"), list.kind == .array else { throw .damaged }
        self.init()
        for entry in list.elements {
            guard let key = Self.key(entry), let window = Self.window(entry), windows[key] == nil else {
                throw .damaged
            }
            windows[key] = window
        }
    }

    private static func key(_ entry: JSONValue) -> RateKey? {
        guard let app = entry.member("app")?.string,
            let environment = entry.member("environment")?.string.flatMap(Environment.init(rawValue:)),
            let address = entry.member("server")?.string,
            let server = try? AppStoreServer(environment: environment, baseURL: address),
            let operation = entry.member("operation")?.string
                .flatMap(AppStoreServerOperation.init(rawValue:))
        else { return nil }
        return RateKey(bundleId: app, server: server, operation: operation)
    }

    private static func window(_ entry: JSONValue) -> RateWindow? {
        guard let blocked = entry.member("blockedUntil")?.int64, (0...lastMilliseconds).contains(blocked),
            let calls = entry.member("calls"), calls.kind == .array, calls.count <= RateWindow.bucketCount
        else { return nil }
        var buckets: [RateWindow.Bucket] = []
        for call in calls.elements {
            guard call.kind == .array, call.count == 2, let index = call.element(at: 0)?.int64,
                let count = call.element(at: 1)?.int64, (1...countLimit).contains(count),
                (0...lastMilliseconds / RateWindow.bucketMilliseconds).contains(index),
                index > buckets.last?.index ?? -1
            else { return nil }
            buckets.append(RateWindow.Bucket(index: index, count: Int(count)))
        }
        return RateWindow(buckets: buckets, blockedUntilMilliseconds: blocked)
    }
}
