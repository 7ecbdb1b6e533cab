internal import DataFiles
internal import Vocabulary

/// Publishes files to hosts, one host after the other in the order given. The first host is the canary: when a host
/// fails, the hosts after it stay as they are.
///
///     let publisher = Publisher(access, keepsGoing: false)
///     let states = publisher.states(of: [try PublishHost("deploy@one.example.com")])
///     let reports = publisher.publish(files, to: states)
public struct Publisher {
    /// A step on a host, for a display of the progress.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// The files are being copied.
        case copy
        /// The host is loading the files.
        case reload
        /// The host is being asked what it serves.
        case check
    }

    private let access: any HostAccess
    /// True to go on with the next host after a failure.
    private let keepsGoing: Bool
    /// Called before each step.
    private let progress: (PublishHost, Step) -> Void

    /// Makes a publisher. Nothing is asked or changed yet.
    ///
    /// - Parameters:
    ///   - access: how hosts are asked and changed.
    ///   - keepsGoing: true to go on with the next host after a failure.
    ///   - progress: called before each step.
    public init(
        _ access: any HostAccess,
        keepsGoing: Bool,
        progress: @escaping (PublishHost, Step) -> Void = { _, _ in }
    ) {
        self.access = access
        self.keepsGoing = keepsGoing
        self.progress = progress
    }

    /// Asks every host what it serves, with the bytes of its rules. Nothing is changed.
    public func states(of hosts: [PublishHost]) -> [HostState] {
        hosts.map { host in
            progress(host, .check)
            do throws(PublishError) {
                return HostState(host: host, pool: .success(try access.served(host, withRules: true)))
            } catch {
                return HostState(host: host, pool: .failure(error))
            }
        }
    }

    /// Publishes the files to every host that does not serve them yet.
    ///
    /// - Parameters:
    ///   - files: the files in the order in which they are copied, the rules last.
    ///   - states: what was learnt of the hosts.
    /// - Returns: a report for each host, in the same order.
    public func publish(_ files: [PublishedFile], to states: [HostState]) -> [HostReport] {
        var reports: [HostReport] = []
        var hasFailed = false
        for state in states {
            let report = hasFailed && !keepsGoing ? Self.skipped(state, files) : publish(files, to: state)
            hasFailed = hasFailed || !report.outcome.isSuccess
            reports.append(report)
        }
        return reports
    }

    private static func skipped(_ state: HostState, _ files: [PublishedFile]) -> HostReport {
        guard case .success(let pool) = state.pool else {
            return HostReport(host: state.host, outcome: .notTried, before: nil, after: nil)
        }
        let rules = Self.rules(files, pool)
        let outcome = state.isCurrent ? HostOutcome.current : .notTried
        return HostReport(host: state.host, outcome: outcome, before: rules, after: rules)
    }

    private func publish(_ files: [PublishedFile], to state: HostState) -> HostReport {
        let before: ServedPool
        switch state.pool {
        case .success(let pool): before = pool
        case .failure(let error):
            return HostReport(host: state.host, outcome: .notAsked(error), before: nil, after: nil)
        }
        let rules = Self.rules(files, before)
        let names = files.map { $0.name(on: before) }
        func report(_ outcome: HostOutcome, _ after: ServedPool.File?) -> HostReport {
            HostReport(host: state.host, outcome: outcome, before: rules, after: after)
        }
        func former(_ step: FormerFiles) throws(PublishError) {
            try access.former(step, names, in: before.dataDirectory, on: state.host)
        }
        guard !state.isCurrent else { return report(.current, rules) }
        do throws(PublishError) {
            try former(.keep)
        } catch {
            return report(.notCopied(error), rules)
        }
        // The host would refuse every later load with a file that it has refused.
        func takenBack(_ report: HostReport) -> HostReport {
            var report = report
            do throws(PublishError) { try former(.restore) } catch { report.leftBehind = error }
            return report
        }
        do throws(PublishError) {
            for (file, name) in zip(files, names) {
                progress(state.host, .copy)
                try access.copy(file.path, to: "\(before.dataDirectory)/\(name)", on: state.host)
            }
        } catch {
            return takenBack(report(.notCopied(error), rules))
        }
        progress(state.host, .reload)
        let reload = access.reload(state.host)
        progress(state.host, .check)
        do throws(PublishError) {
            let after = try access.served(state.host, withRules: false)
            let outcome = HostOutcome(of: files, before: before, after: after, reload: reload)
            let served = report(outcome, Self.rules(files, after))
            if case .refused = outcome { return takenBack(served) }
            try? former(.drop)
            return served
        } catch {
            return report(.unknown(error), nil)
        }
    }

    /// Returns the rules file that the pool serves in the place of the published one.
    private static func rules(_ files: [PublishedFile], _ pool: ServedPool) -> ServedPool.File? {
        files.last { $0.kind == .rules }?.predecessor(in: pool)
    }
}

/// What was learnt of a host before anything is changed.
public struct HostState: Sendable, Hashable {
    /// The host that was asked.
    public let host: PublishHost
    /// What it serves, or why that is not known.
    public let pool: Result<ServedPool, PublishError>
    /// True when it serves the same rules and facts already, and its last load was accepted.
    public var isCurrent = false

    public init(host: PublishHost, pool: Result<ServedPool, PublishError>) {
        self.host = host
        self.pool = pool
    }
}
