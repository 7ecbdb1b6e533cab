internal import Loader
internal import Telemetry

/// The marks in decision logs: `open` before the first record, the rules of each load before its first record, one a
/// minute, `close` behind the last record.
extension PoolState {
    /// The workers of a generation are about to start and to write.
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

    /// A load is refused whose rules stand in the log already: those that serve follow, so that the last ones in a file
    /// are the ones that hold.
    mutating func markRulesAgain(after refused: Load, _ actions: inout [PoolAction]) {
        guard let serving, let log = decisionLogs[serving.generation],
            decisionLogs[refused.sequence]?.path == log.path
        else { return }
        actions.append(.markRules(serving.generation, log))
    }

    /// Records have another instance from now on; the one before ends with the last worker that numbers by it. Where the
    /// pool is handed over once more before that, its end is not marked.
    mutating func openLogWithNewCounters(_ actions: inout [PoolAction]) {
        guard let formerLog, let serving else { return }
        actions += [.mark(.open, formerLog), .markRules(serving.generation, formerLog)]
    }

    /// No worker is left that numbers its records by the counters of the binary before.
    mutating func closeFormerLog(_ actions: inout [PoolAction]) {
        guard let log = formerLog, formerWorkers.isDisjoint(with: workers.keys) else { return }
        formerLog = nil
        actions.append(.markFormer(.close, log))
    }

    /// No worker of a generation is left.
    mutating func closeLog(of generation: GenerationID, _ actions: inout [PoolAction]) {
        guard let log = decisionLogs.removeValue(forKey: generation), !decisionLogs.values.contains(log)
        else { return }
        actions.append(.mark(.close, log))
    }

    /// Nothing is left that could write.
    mutating func closeLogs(_ actions: inout [PoolAction]) {
        for generation in decisionLogs.keys.sorted() { closeLog(of: generation, &actions) }
    }

    /// The files get other names: each old one ends with a mark, and each new one begins as the first one did.
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

    /// A minute has passed, or more: a machine that slept is not made up for.
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
