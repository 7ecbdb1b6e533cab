internal import System
internal import Telemetry

/// Takes signals, and the ends of children.
extension Supervisor {
    func takeSignals() {
        while let signal = try? signals.next() {
            if signal == .child { reap() } else { take(.signal(signal)) }
        }
    }

    private func reap() {
        while let (processID, exit) = Processes.reapAny() {
            guard let id = childIDs.removeValue(forKey: processID) else { continue }
            // The supervisor handles the child's last messages before the child's end.
            if channels[id] != nil { listen(to: id) }
            if loaderChannels[id] != nil { receiveLoaderReply(id) }
            if let slot = children[id]?.slot { counters.releaseWorker(slot) }
            channels[id] = nil
            loaderChannels[id] = nil
            take(.ended(id, exit))
            // Only now, because the log line about the end has the process's number.
            children[id] = nil
        }
    }
}
