internal import Loader
internal import Telemetry

/// The marks in decision logs: `open` before the first record, the experiments of each load before its first record,
/// `minute` once a minute, `close` after the last record.
extension PoolState {
    /// Marks the decision log of a generation before its workers start and write records.
    mutating func openLog(
        of generation: GenerationID,
        _ settings: PoolSettings,
        at now: Int64,
        _ actions: inout [PoolAction]
    ) {
        guard let log = settings.decisionLog else { return }
        if decisionLogs.isEmpty { nextMark = now + PoolLimits.markMilliseconds }
        if !decisionLogs.values.contains(log) { actions.append(.mark(.open, log)) }
        decisionLogs[generation] = log
        actions.append(.markRules(generation, log))
    }

    /// Writes the experiments of the serving generation again after a load was refused whose experiments are already in
    /// the same log. So the last experiments in a file are the ones in force.
    mutating func markRulesAgain(after refused: Load, _ actions: inout [PoolAction]) {
        guard let serving, let log = decisionLogs[serving.generation],
            decisionLogs[refused.sequence]?.path == log.path
        else { return }
        actions.append(.markRules(serving.generation, log))
    }

    /// Opens the log under the new counters when those of the binary before could not be shared: from now on records
    /// have another instance. The old instance ends with the last worker that takes its numbers from it. If the pool is
    /// handed over again before that, the end of the old instance is not marked.
    mutating func openLogWithNewCounters(_ actions: inout [PoolAction]) {
        guard let formerLog, let serving else { return }
        actions += [.mark(.open, formerLog), .markRules(serving.generation, formerLog)]
    }

    /// Writes the `close` mark of the old instance when no worker uses the counters of the binary before any more.
    mutating func closeFormerLog(_ actions: inout [PoolAction]) {
        guard let log = formerLog, formerWorkers.isDisjoint(with: workers.keys) else { return }
        formerLog = nil
        actions.append(.markFormer(.close, log))
    }

    /// Writes the `close` mark when a generation has no worker left and no other generation writes the same log.
    mutating func closeLog(of generation: GenerationID, _ actions: inout [PoolAction]) {
        guard let log = decisionLogs.removeValue(forKey: generation), !decisionLogs.values.contains(log)
        else { return }
        actions.append(.mark(.close, log))
    }

    /// Writes the `close` marks of all logs when no process is left that could write a record.
    mutating func closeLogs(_ actions: inout [PoolAction]) {
        for generation in decisionLogs.keys.sorted() { closeLog(of: generation, &actions) }
    }

    /// Reopens the logs after a log rotation has renamed the files: each old file ends with a `close` mark, and each
    /// new file begins with an `open` mark and the experiments.
    mutating func reopenLogs(_ actions: inout [PoolAction]) {
        let logs = decisionLogs.sorted { $0.key < $1.key }
        var seen: Set<DecisionLogIdentity> = []
        let distinct = logs.map(\.value).filter { seen.insert($0).inserted }
        let former = formerLog
        actions += distinct.map { .mark(.close, $0) } + (former.map { [.markFormer(.close, $0)] } ?? [])
        actions.append(.reopenLogs)
        actions += (former.map { [.markFormer(.open, $0)] } ?? []) + distinct.map { .mark(.open, $0) }
        actions += logs.map { .markRules($0.key, $0.value) }
    }

    /// Writes the `minute` marks when a minute or more has passed. After the machine slept, there is one mark and not
    /// one for each minute.
    mutating func markMinute(at now: Int64, _ actions: inout [PoolAction]) {
        guard !decisionLogs.isEmpty, now >= nextMark else { return }
        nextMark = now + PoolLimits.markMilliseconds
        var seen: Set<DecisionLogIdentity> = []
        for (_, log) in decisionLogs.sorted(by: { $0.key < $1.key }) where seen.insert(log).inserted {
            actions.append(.mark(.minute, log))
        }
        if let formerLog { actions.append(.markFormer(.minute, formerLog)) }
    }
}
