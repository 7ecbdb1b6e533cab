internal import Logging
public import System
internal import Telemetry

/// Logs what goes wrong with the decision records of this worker.
extension RequestObserver {
    /// Logs that decision records are dropped.
    public func recordsDropped() {
        logger.error(
            "decision records are dropped",
            metadata: ["code": "decisions-dropped", "dropped": "\(counters.value(.decisionsDropped))"]
        )
    }

    /// Logs that the worker ends while its companion still writes decision records.
    func recordsLeft() { logger.warning("left before all decision records were written") }

    /// Logs that the companion of this worker had ended, and what the worker has done about it.
    func companionLost(_ loss: CompanionLoss) {
        switch loss {
        case .replaced:
            logger.warning(
                "another process writes the decision records, because the last one had ended",
                metadata: ["code": "records-process-replaced"]
            )
        case .notReplaced(let error):
            logger.error(
                "no process writes the decision records",
                metadata: ["code": "records-unattended", "reason": "\(error)"]
            )
        }
    }

    /// Logs that the file of the decision records could not be opened again.
    public func logsNotReopened(_ error: SystemCallError) {
        logger.error(
            "decision log not reopened",
            metadata: ["code": "decisions-unwritable", "reason": "\(error)"]
        )
    }
}
