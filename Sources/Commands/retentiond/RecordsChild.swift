internal import Control
internal import Endpoints
internal import Loader
internal import Supervisor
internal import System
internal import Telemetry

/// The companion of this worker: a child that runs `--records`. The message socket between the two says by its end that the
/// worker is gone.
final class RecordsChild: RecordCompanion {
    /// The message that tells the child to look into the ring.
    static let wakeMessage: [UInt8] = [UInt8(ascii: "w")]
    /// The message that tells the child to open the log files again.
    static let reopenMessage: [UInt8] = [UInt8(ascii: "r")]

    private let processID: Int32
    private var socket: MessageSocket?
    private var isReaped = false

    private init(processID: Int32, socket: consuming MessageSocket) {
        self.processID = processID
        self.socket = consume socket
    }

    /// Starts the child for a worker that a supervisor has started.
    ///
    /// - Throws: the error of the system call that failed.
    static func start(
        _ ring: borrowing SharedRing,
        _ placement: [(from: Int32, to: Int32)],
        _ counters: SharedCounters
    ) throws(SystemCallError) -> RecordsChild {
        let ringNumber = ring.descriptorNumber
        return try MessageSocket.makePair().split { ours, theirs throws(SystemCallError) in
            var child = ChildProcess(
                executable: ChildProcess.ownExecutable,
                arguments: ["retentiond", "--records"],
                environment: ProcessEnvironment.all(excludingPrefixes: [])
            )
            let last = max(LoaderLimits.keysDescriptor, placement.map(\.to).max() ?? 0)
            child.descriptors =
                placement + [
                    (theirs.descriptor.number, LoaderLimits.controlDescriptor),
                    (ringNumber, LoaderLimits.keysDescriptor),
                    (counters.descriptorNumber, last + 1),
                ]
            // No signal ends the child or interrupts its writing. It ends when its worker has ended.
            child.blocksSignals = true
            return RecordsChild(processID: try child.start(), socket: ours)
        }
    }

    var hasEnded: Bool {
        if !isReaped { isReaped = Processes.reap(processID) != nil }
        return isReaped
    }

    // A message that cannot be sent is not worth waiting for: a child that is gone is found, and one that has many messages already
    // looks into the ring anyway.
    func wake() { _ = isSent(Self.wakeMessage) }

    func reopenLogs() -> Bool { isSent(Self.reopenMessage) }

    func finish(within milliseconds: Int32) -> Bool {
        let handle = ProcessHandle(processID)
        socket = nil
        guard !hasEnded, let handle else { return true }
        guard handle.waitForEnd(timeoutMilliseconds: milliseconds) else { return false }
        // Where the kernel gives no descriptor of a process, the handle has reaped the child.
        _ = Processes.reap(processID)
        isReaped = true
        return true
    }

    private func isSent(_ message: [UInt8]) -> Bool { (try? socket?.send(message.span)) != nil }
}
