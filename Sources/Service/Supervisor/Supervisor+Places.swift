internal import Configuration
internal import Logging
internal import System
internal import Telemetry

/// The names under which others find the pool, its socket and its pid file: somebody may remove them while it runs.
extension Supervisor {
    /// Looks for them, and for the logs that could not be opened, every ``PoolLimits/placesMilliseconds``.
    func watchPlaces() {
        guard Self.now >= nextPlaceCheck else { return }
        nextPlaceCheck = Self.now + PoolLimits.placesMilliseconds
        guard state.phase == .running else { return }
        watchSocket()
        watchPidFile()
        watchLogs()
    }

    /// A socket whose name is gone cannot get it back: the workers listen, and nobody can find them.
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
