internal import Configuration
internal import Endpoints
internal import Loader
internal import Logging
internal import Supervisor
internal import System
internal import Telemetry

/// `--records`: the companion of a worker, which makes and writes the worker's decision records. It has the rules and the key of
/// the pseudonyms, but neither signing keys nor a connection. A slow disk holds up this process and no worker.
enum RecordsProcess {
    /// The time between two looks into the ring while decisions come, in milliseconds. It is short, so that what waits is little
    /// and still in the processor's cache.
    private static let pauseMilliseconds: Int32 = 5
    /// How long the process may still write when its worker is gone, in milliseconds. A service manager that stops or restarts the
    /// pool waits for this process too.
    private static let lastWriteMilliseconds: Int32 = 5000

    /// Runs until the worker is gone and everything is written. Returns the exit status.
    static func run() -> Int32 {
        // The worker may still be in the background when it starts its companion. There a record could wait for minutes.
        if BackgroundWork.isSet() { BackgroundWork.set(false) }
        Processes.setName(Supervisor.recordsName)
        let logger = Output.logger(component: "records", level: .info, format: .logfmt)
        do {
            // Up to the limit, everything is in memory: a disk that hangs may already hold up the opening of the log files.
            let generation = try Generation.forRecords()
            let configuration = generation.configuration
            let counters = try SharedCounters(
                inheriting: FileDescriptor(takingOwnership: generation.firstFreeDescriptorForRecords),
                codes: RequestObserver.codes
            )
            let socket = try MessageSocket(
                takingOwnership: FileDescriptor(takingOwnership: LoaderLimits.controlDescriptor)
            )
            var ring = try SharedRing(
                inheriting: FileDescriptor(takingOwnership: LoaderLimits.keysDescriptor),
                byteCount: DecisionRecorder.ringByteCount
            )
            try limitLastWrite(of: ring, worker: socket.descriptor.number, counters)
            Output.errorLog.use(configuration.errorLog, elseTelling: logger)
            let log = Output.logger(
                component: "records",
                level: configuration.log.level,
                format: configuration.log.format,
                counters: counters
            )
            guard let writer = try DecisionRecordWriter(generation, counters) else { return 70 }
            let observer = RequestObserver(
                counters: counters,
                logger: log,
                slot: nil,
                slowMilliseconds: 0,
                errorLog: Output.errorLog
            )
            if !writer.isOpen {
                log.error("decision records cannot be written", metadata: ["code": "decisions-unwritable"])
            }
            serve(&ring, socket, writer, observer)
            return 0
        } catch {
            logger.error("records process failed", error: error)
            return 70
        }
    }

    /// Starts a thread that ends the process when it has not ended by itself some time after its worker. What waits in the ring then
    /// counts as dropped.
    private static func limitLastWrite(
        of ring: borrowing SharedRing,
        worker socket: Int32,
        _ counters: SharedCounters
    ) throws(SystemCallError) {
        let number = ring.descriptorNumber
        try ServiceThread.start {
            while (try? Readiness.waitForHangUp(of: socket, timeoutMilliseconds: -1)) != true {
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: 100)
            }
            _ = try? Readiness.wait(for: [], timeoutMilliseconds: lastWriteMilliseconds)
            // The other thread stands still in a call to the disk, so it takes nothing now.
            if let copy = try? FileDescriptor.duplicate(of: number),
                var rest = try? SharedRing(inheriting: copy, byteCount: DecisionRecorder.ringByteCount)
            {
                rest.takeWaiting { _ in counters.add(.decisionsDropped) }
            }
            // Nothing is logged: the log file may be on the same disk.
            Processes.exit(75)
        }
    }

    private static func serve(
        _ ring: inout SharedRing,
        _ socket: borrowing MessageSocket,
        _ writer: DecisionRecordWriter,
        _ observer: RequestObserver
    ) {
        while true {
            let received = (try? socket.receive(limitBytes: 1)) ?? .closed
            let hasWritten = writer.write(from: &ring)
            if writer.shouldReportDrops() { observer.recordsDropped() }
            switch received {
            case .closed:
                // The worker is gone: no more can come than waits now.
                while writer.write(from: &ring) {}
                return
            case .message(RecordsChild.reopenMessage): reopenLogs(writer, observer)
            case .message, .tooLong, .nothing: break
            }
            // The worker is not asked to wake this process as long as decisions come: each time costs the worker a system call.
            guard hasWritten || ring.askToBeWoken() else { continue }
            let pause = hasWritten ? pauseMilliseconds : -1
            _ = try? Readiness.wait(for: [socket.descriptor.number], timeoutMilliseconds: pause)
        }
    }

    private static func reopenLogs(_ writer: DecisionRecordWriter, _ observer: RequestObserver) {
        observer.reopenErrorLog()
        do throws(SystemCallError) {
            try writer.reopen()
        } catch {
            observer.logsNotReopened(error)
        }
    }
}
