internal import Loader
internal import Logging
internal import System
internal import Telemetry

/// Marks in the decision logs.
extension Supervisor {
    func mark(_ kind: DecisionMark.Kind, _ log: DecisionLogIdentity) {
        let mark = DecisionMark(
            kind,
            timeMilliseconds: Clock.wallMilliseconds(),
            instance: counters.instance,
            sequence: counters.lastSequence,
            identifierKey: log.identifierKey
        )
        writeMarks(mark.line, to: log)
    }

    func writeMarks(_ lines: [UInt8], to log: DecisionLogIdentity) {
        guard !decisionMarks.write(lines, to: log) else { return }
        logger.warning(
            "decision log not marked",
            metadata: ["code": "decision-log-unmarked", "path": "\(log.path)"]
        )
    }
}
