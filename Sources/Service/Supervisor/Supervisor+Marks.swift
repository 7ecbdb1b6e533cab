internal import Loader
internal import Logging
internal import System
internal import Telemetry

/// Writes marks into the decision logs, and opens all log files again after a rotation.
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

    /// Opens the decision logs and the error log again.
    func reopenLogs() {
        decisionMarks.reopen(decisionLogPaths)
        errorLogFailure = nil
        do throws(SystemCallError) {
            try setup.errorLog.reopen()
        } catch {
            errorLogFailure = error
        }
    }

    /// The log files in use that could not be opened again: the code, the path and the reason of each. The workers try as the same
    /// user and get the same errors, unless a disk is late.
    var unopenedLogs: [(code: String, path: String, error: SystemCallError)] {
        let decisions = decisionMarks.unopened.filter { decisionLogPaths.contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { (code: "decisions-unwritable", path: $0.key, error: $0.value) }
        guard let errorLogFailure, let path = setup.errorLog.path else { return decisions }
        return decisions + [(code: "error-log-unwritable", path: path, error: errorLogFailure)]
    }

    /// Logs which log files could not be opened again.
    func logUnopened() {
        for log in unopenedLogs {
            logger.error(
                "logs not reopened",
                metadata: ["code": "\(log.code)", "path": "\(log.path)", "reason": "\(log.error)"]
            )
        }
    }

    /// Writes log lines to the file of a new generation. When it cannot be opened, the lines go where they went before.
    func useErrorLog(_ path: String?) {
        guard path != setup.errorLog.path else { return }
        if setup.errorLog.use(path, elseTelling: logger) { errorLogFailure = nil }
    }

    /// Reopens the logs, as after USR1, once all files can be opened that could not be before: each old decision log ends
    /// with a mark, and each new one begins with marks.
    func watchLogs() {
        let paths = Set(unopenedLogs.map(\.path))
        guard !paths.isEmpty, decisionMarks.canOpen(paths) else { return }
        take(.signal(.user1))
    }
}
