internal import System

/// The text that one binary hands to the next in the environment when USR2 replaces it: numbers of descriptors and
/// processes.
///
///     4;listen=3;socket=25:4711;pid=5;state=13;counters=6;generation=4;sequence=9;workers=2;drain=5000;
///     manifest=7;keys=8;marks=14;files=9,10;w=12:4711:10:0:1,…
///
/// The text is one line. The first number is the version of the format.
struct HandOver: Sendable, Hashable {
    /// The environment variable that holds the text.
    static let variable = "RETENTIOND_UPGRADE"

    struct Worker: Sendable, Hashable {
        let id: Int
        let processID: Int32
        let control: Int32
        /// The worker's row in the shared counters, -1 when it has none.
        let slot: Int
        let isReady: Bool
    }

    var listen: Int32
    /// The socket file that the pool made; nil when the pool made none.
    var socketFile: FileIdentity?
    /// The descriptor of the lock beside the pid file.
    var pidFile: Int32
    /// The descriptor of the lock of `stateDirectory`, -1 when there is none.
    var state: Int32
    var counters: Int32
    var generation: Int
    var sequence: Int
    var workerCount: Int
    var drainMilliseconds: Int64
    var manifest: Int32
    var keys: Int32
    /// The descriptor of the lines about the generation's experiments, -1 when there are none.
    var marks: Int32
    var files: [Int32]
    var workers: [Worker]

    /// Every descriptor that is handed over.
    var descriptors: [Int32] {
        [listen, pidFile, counters, manifest, keys] + [state, marks].filter { $0 >= 0 } + files
            + workers.map(\.control)
    }

    var text: String {
        let list = workers.map { "\($0.id):\($0.processID):\($0.control):\($0.slot):\($0.isReady ? 1 : 0)" }
        return [
            "4", "listen=\(listen)", "socket=\(socketFile.map { "\($0.device):\($0.inode)" } ?? "-")",
            "pid=\(pidFile)", "state=\(state)", "counters=\(counters)",
            "generation=\(generation)",
            "sequence=\(sequence)", "workers=\(workerCount)", "drain=\(drainMilliseconds)",
            "manifest=\(manifest)", "keys=\(keys)", "marks=\(marks)",
            "files=\(files.map(String.init).joined(separator: ","))",
            "w=\(list.joined(separator: ","))",
        ].joined(separator: ";")
    }

    init(
        listen: Int32,
        socketFile: FileIdentity?,
        pidFile: Int32,
        state: Int32,
        counters: Int32,
        generation: Int,
        sequence: Int,
        settings: PoolSettings,
        manifest: Int32,
        keys: Int32,
        marks: Int32,
        files: [Int32],
        workers: [Worker]
    ) {
        self.listen = listen
        self.socketFile = socketFile
        self.pidFile = pidFile
        self.state = state
        self.counters = counters
        self.generation = generation
        self.sequence = sequence
        workerCount = settings.workerCount
        drainMilliseconds = settings.drainMilliseconds
        self.manifest = manifest
        self.keys = keys
        self.marks = marks
        self.files = files
        self.workers = workers
    }

    /// Reads a text that ``text`` made. Returns nil for any other text, also when a number is outside the range that a
    /// supervisor uses.
    init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.first == "4" else { return nil }
        var values: [Substring: Substring] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else { return nil }
        }
        func number(_ key: Substring, _ range: ClosedRange<Int>) -> Int? {
            values[key].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        func descriptor(_ key: Substring) -> Int32? { values[key].flatMap(Self.descriptor) }
        func optional(_ key: Substring) -> Int32? { values[key] == "-1" ? -1 : descriptor(key) }
        let sequences = 1...PoolLimits.sequenceLimit
        guard let listen = descriptor("listen"), let pidFile = descriptor("pid"),
            let socket = values["socket"], let state = optional("state"), let marks = optional("marks"),
            let counters = descriptor("counters"), let generation = number("generation", sequences),
            let sequence = number("sequence", sequences),
            let workerCount = number("workers", 1...PoolLimits.workerCountLimit),
            let drain = number("drain", 0...Int(PoolLimits.drainMillisecondsLimit)),
            let manifest = descriptor("manifest"), let keys = descriptor("keys"),
            let fileList = values["files"], let workerList = values["w"]
        else { return nil }
        let socketFile = Self.identity(socket)
        guard socketFile != nil || socket == "-" else { return nil }
        let files = fileList.split(separator: ",").map(Self.descriptor)
        let workers = workerList.split(separator: ",").map(Self.worker)
        guard files.allSatisfy({ $0 != nil }), workers.allSatisfy({ $0 != nil }) else { return nil }
        self.listen = listen
        self.socketFile = socketFile
        self.pidFile = pidFile
        self.state = state
        self.counters = counters
        self.generation = generation
        self.sequence = sequence
        self.workerCount = workerCount
        drainMilliseconds = Int64(drain)
        self.manifest = manifest
        self.keys = keys
        self.marks = marks
        self.files = files.compactMap { $0 }
        self.workers = workers.compactMap { $0 }
        guard Self.areDistinct(descriptors), Self.areDistinct(self.workers.map(\.id)),
            Self.areDistinct(self.workers.map(\.processID))
        else { return nil }
    }

    private static func areDistinct<Number: Hashable>(_ numbers: [Number]) -> Bool {
        Set(numbers).count == numbers.count
    }

    /// Returns a descriptor number above 2, else nil: standard input, output and error are never handed over.
    private static func descriptor(_ text: Substring) -> Int32? {
        Int32(text).flatMap { $0 > 2 ? $0 : nil }
    }

    private static func identity(_ text: Substring) -> FileIdentity? {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
        guard numbers.count == 2, let device = numbers[0], let inode = numbers[1] else { return nil }
        return FileIdentity(device: device, inode: inode)
    }

    private static func worker(_ text: Substring) -> Worker? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 5, let id = Int32(fields[0]), id > 0, let process = Int32(fields[1]),
            process > 0,
            let control = descriptor(fields[2]), let slot = Int32(fields[3]), slot >= -1,
            fields[4] == "0" || fields[4] == "1"
        else { return nil }
        return Worker(
            id: Int(id),
            processID: process,
            control: control,
            slot: Int(slot),
            isReady: fields[4] == "1"
        )
    }
}
