/// What one binary hands to the next in the environment when USR2 replaces it: numbers of descriptors and processes.
///
/// `2;listen=3;pid=5;counters=6;generation=4;sequence=9;workers=2;drain=5000;manifest=7;keys=8;files=9,10;w=12:4711:10:0:1,…`
struct HandOver: Sendable, Hashable {
    /// The environment variable.
    static let variable = "RETENTIOND_UPGRADE"

    struct Worker: Sendable, Hashable {
        let id: Int
        let processID: Int32
        let control: Int32
        /// The row in the shared counters, -1 for none.
        let slot: Int
        let isReady: Bool
    }

    var listen: Int32
    var pidFile: Int32
    var counters: Int32
    var generation: Int
    var sequence: Int
    var workerCount: Int
    var drainMilliseconds: Int64
    var manifest: Int32
    var keys: Int32
    var files: [Int32]
    var workers: [Worker]

    /// Every descriptor in it.
    var descriptors: [Int32] { [listen, pidFile, counters, manifest, keys] + files + workers.map(\.control) }

    var text: String {
        let list = workers.map { "\($0.id):\($0.processID):\($0.control):\($0.slot):\($0.isReady ? 1 : 0)" }
        return [
            "2", "listen=\(listen)", "pid=\(pidFile)", "counters=\(counters)", "generation=\(generation)",
            "sequence=\(sequence)", "workers=\(workerCount)", "drain=\(drainMilliseconds)",
            "manifest=\(manifest)", "keys=\(keys)", "files=\(files.map(String.init).joined(separator: ","))",
            "w=\(list.joined(separator: ","))",
        ].joined(separator: ";")
    }

    init(
        listen: Int32,
        pidFile: Int32,
        counters: Int32,
        generation: Int,
        sequence: Int,
        settings: PoolSettings,
        manifest: Int32,
        keys: Int32,
        files: [Int32],
        workers: [Worker]
    ) {
        self.listen = listen
        self.pidFile = pidFile
        self.counters = counters
        self.generation = generation
        self.sequence = sequence
        workerCount = settings.workerCount
        drainMilliseconds = settings.drainMilliseconds
        self.manifest = manifest
        self.keys = keys
        self.files = files
        self.workers = workers
    }

    /// Reads what ``text`` wrote; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.first == "2" else { return nil }
        var values: [Substring: Substring] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else { return nil }
        }
        func number<Value: FixedWidthInteger>(_ key: Substring) -> Value? {
            values[key].flatMap { Value($0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
        guard let listen: Int32 = number("listen"), let pidFile: Int32 = number("pid"),
            let counters: Int32 = number("counters"), let generation: Int = number("generation"),
            let sequence: Int = number("sequence"), let workerCount: Int = number("workers"),
            let drain: Int64 = number("drain"), let manifest: Int32 = number("manifest"),
            let keys: Int32 = number("keys"),
            let fileList = values["files"], let workerList = values["w"]
        else { return nil }
        let files = fileList.split(separator: ",").map { Int32($0).flatMap { $0 >= 0 ? $0 : nil } }
        let workers = workerList.split(separator: ",").map(Self.worker)
        guard files.allSatisfy({ $0 != nil }), workers.allSatisfy({ $0 != nil }) else { return nil }
        self.listen = listen
        self.pidFile = pidFile
        self.counters = counters
        self.generation = generation
        self.sequence = sequence
        self.workerCount = workerCount
        drainMilliseconds = drain
        self.manifest = manifest
        self.keys = keys
        self.files = files.compactMap { $0 }
        self.workers = workers.compactMap { $0 }
    }

    private static func worker(_ text: Substring) -> Worker? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) }
        guard fields.count == 5, let id = fields[0], id > 0, let process = fields[1], process > 0,
            let control = fields[2], control >= 0, let slot = fields[3], slot >= -1, let ready = fields[4],
            ready == 0 || ready == 1
        else { return nil }
        return Worker(id: Int(id), processID: process, control: control, slot: Int(slot), isReady: ready == 1)
    }
}
