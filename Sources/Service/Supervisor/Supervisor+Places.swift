internal import Configuration
internal import Logging
internal import System
internal import Telemetry

/// Watches the socket's file name and the pid file, by which other programs find the pool. Somebody may remove them
/// while the pool runs.
extension Supervisor {
    /// Checks the socket, the pid file, the certificates and the clock, every
    /// ``PoolLimits/placesMilliseconds``.
    func checkFileNames() {
        guard Self.now >= nextFileNameCheck else { return }
        nextFileNameCheck = Self.now + PoolLimits.placesMilliseconds
        guard state.phase == .running else { return }
        watchSocket()
        watchPidFile()
        watchCertificates()
        watchClock()
    }

    /// Logs when the socket's name is gone and when it is back. A name that is gone cannot be restored: the workers
    /// still listen on the socket, but no client can find it.
    private func watchSocket() {
        guard let isThere = poolSocket?.hasName() else { return }
        let wasThere = counters.highest(.socketGone) % 2 == 0
        guard isThere != wasThere else { return }
        counters.raise(.socketGone, to: counters.highest(.socketGone) + 1)
        var metadata: Logger.Metadata = ["listen": "\(configuration.listen)"]
        guard !isThere else {
            logger.notice("the socket has its name again", metadata: metadata)
            return
        }
        metadata["code"] = "socket-gone"
        metadata["reason"] =
            "its file was removed or replaced: no new connection reaches the pool; restart it"
        logger.error("the socket is gone", metadata: metadata)
        serviceManager.notify(["STATUS=the socket \(configuration.listen) is gone; restart"])
    }

    private func watchPidFile() {
        guard !pidFile.isOurs() else { return }
        var metadata: Logger.Metadata = ["code": "pid-file-gone", "path": "\(pidFile.path)"]
        do throws(SystemCallError) {
            try pidFile.rewrite()
            isPidFileLost = false
            logger.error("the pid file was gone and is written again", metadata: metadata)
        } catch {
            guard !isPidFileLost else { return }
            isPidFileLost = true
            metadata["reason"] = "\(error)"
            logger.error("the pid file is gone and cannot be written; restart", metadata: metadata)
        }
    }
}
