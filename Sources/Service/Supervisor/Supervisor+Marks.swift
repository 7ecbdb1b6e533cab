internal import Loader
internal import Logging
internal import System
internal import Telemetry

/// Writes marks into the decision logs.
extension Supervisor {
    func mark(_ kind: DecisionMark.Kind, _ log: DecisionLogIdentity) {
        mark(kind, log, instance: counters.instance, sequence: counters.lastSequence)
    }

    func markFormer(_ kind: DecisionMark.Kind, _ log: DecisionLogIdentity) {
        guard let formerCounters else { return }
        mark(kind, log, instance: formerCounters.instance, sequence: formerCounters.lastSequence)
    }

    private func mark(
        _ kind: DecisionMark.Kind,
        _ log: DecisionLogIdentity,
        instance: String,
        sequence: UInt64
    ) {
        let mark = DecisionMark(
            kind,
            timeMilliseconds: Clock.wallMilliseconds(),
            instance: instance,
            sequence: sequence,
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

    /// The paths of the decision logs that some generation writes.
    var decisionLogPaths: Set<String> { Set(state.decisionLogs.values.map(\.path)) }

    /// Logs which decision logs could not be opened again. The workers try as the same user and get the same errors.
    func logUnopened() {
        for (path, error) in decisionMarks.unopened.sorted(by: { $0.key < $1.key }) {
            logger.error(
                "logs not reopened",
                metadata: ["code": "decisions-unwritable", "path": "\(path)", "reason": "\(error)"]
            )
        }
    }

    /// Reopens the logs, as after USR1, once all files can be opened that could not be before: each old file ends with
    /// a mark, and each new file begins with marks.
    func watchLogs() {
        if decisionMarks.canReopen(decisionLogPaths) { take(.signal(.user1)) }
    }
}
