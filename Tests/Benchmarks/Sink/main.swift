internal import Logging
internal import NotificationStore
internal import Recorder
internal import System

// The recorder of the benchmarks that has no store: it takes and verifies notifications as retentiond-recorder does, hands
// them to its second thread, and acknowledges them without keeping them:
//
//     sink CONFIGURATION SOCKET
//
// CONFIGURATION is a configuration of the recorder; the sink opens no store, and listens at SOCKET.

/// Keeps nothing, and says that everything is stored.
struct Sink: NotificationKeeper {
    func prepare(willTakeLong: (Int64) -> Void) throws(NotificationStoreError) {}

    func store(_ items: [StoreItem]) -> [StoreOutcome] { items.map { _ in .stored } }

    func oldestWaiting(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64? { nil }

    func setAsideCount(for receiver: ForwardReceiver) throws(NotificationStoreError) -> Int64 { 0 }

    func probe(writes: Bool) throws(NotificationStoreError) {}
}

/// Serves until a signal ends the process. Returns the exit status.
func run() -> Int32 {
    do {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return 64 }
        let signals = try SignalDescriptor(receiving: [.hangup, .user1, .quit, .terminate, .interrupt])
        let process = try RecorderProcess(
            RecorderConfiguration(path: arguments[1]),
            path: arguments[1],
            listener: ListeningSocket(
                unixPath: arguments[2], access: ListeningSocket.Access(mode: 0o666), backlog: 511),
            signals: signals,
            logger: Logger(label: "sink") { StreamLogHandler.standardError(label: $0) },
            open: { Sink() }
        )
        _ = try process.run()
        return 0
    } catch {
        let text = Array("sink: \(error)\n".utf8)
        let stream = FileDescriptor(takingOwnership: 2)
        try? stream.write(text.span)
        _ = stream.release()
        return 70
    }
}

Processes.exit(run())
