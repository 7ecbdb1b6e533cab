internal import Facts
package import System

/// Publishes files to hosts, one host after the other in the order given. The first host is the canary: when a host
/// fails, the hosts after it stay as they are.
package struct Publisher {
    /// A step on a host, for a display of the progress.
    package enum Step: String, Sendable, Hashable, CaseIterable {
        case copy
        case reload
        /// The host is asked what it serves.
        case check
    }

    private let access: any HostAccess
    private let keepsGoing: Bool
    private let progress: (PublishHost, Step) -> Void

    package init(
        _ access: any HostAccess,
        keepsGoing: Bool,
        progress: @escaping (PublishHost, Step) -> Void = { _, _ in }
    ) {
        self.access = access
        self.keepsGoing = keepsGoing
        self.progress = progress
    }

    /// Asks every host what it serves, with the bytes of its rules. Nothing is changed.
    package func states(of hosts: [PublishHost]) -> [HostState] {
        hosts.map { host in
            progress(host, .check)
            do throws(ToolError) {
                return HostState(host: host, pool: .success(try access.served(host, withRules: true)))
            } catch {
                return HostState(host: host, pool: .failure(error))
            }
        }
    }

    /// Publishes the files, of which the rules are the last, to every host that does not serve them yet.
    package func publish(_ files: [PublishedFile], to states: [HostState]) -> [HostReport] {
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
        let served = Self.served(files, pool)
        let outcome = state.isCurrent ? HostOutcome.current : .notTried
        return HostReport(host: state.host, outcome: outcome, before: served, after: served)
    }

    private func publish(_ files: [PublishedFile], to state: HostState) -> HostReport {
        let before: ServedPool
        switch state.pool {
        case .success(let pool): before = pool
        case .failure(let error):
            return HostReport(host: state.host, outcome: .notAsked(error), before: nil, after: nil)
        }
        let served = Self.served(files, before)
        let names = files.map { $0.name(on: before) }
        func report(_ outcome: HostOutcome, _ after: ServedPool.File?) -> HostReport {
            HostReport(host: state.host, outcome: outcome, before: served, after: after)
        }
        func former(_ step: FormerFiles) throws(ToolError) {
            try access.former(step, names, in: before.dataDirectory, on: state.host)
        }
        guard !state.isCurrent else { return report(.current, served) }
        do throws(ToolError) {
            try former(.keep)
        } catch {
            return report(.notCopied(error), served)
        }
        // The host would refuse every later load with a file that it has refused.
        func takenBack(_ report: HostReport) -> HostReport {
            var report = report
            do throws(ToolError) { try former(.restore) } catch { report.leftBehind = error }
            return report
        }
        do throws(ToolError) {
            for (file, name) in zip(files, names) {
                progress(state.host, .copy)
                try access.copy(file.path, to: "\(before.dataDirectory)/\(name)", on: state.host)
            }
        } catch {
            return takenBack(report(.notCopied(error), served))
        }
        progress(state.host, .reload)
        let reload = access.reload(state.host)
        progress(state.host, .check)
        do throws(ToolError) {
            let after = try access.served(state.host, withRules: false)
            let outcome = HostOutcome(of: files, before: before, after: after, reload: reload)
            let result = report(outcome, Self.served(files, after))
            if case .refused = outcome { return takenBack(result) }
            try? former(.drop)
            return result
        } catch {
            return report(.unknown(error), nil)
        }
    }

    /// Returns the file that the pool serves in the place of the last published one: of the rules, if there are any.
    private static func served(_ files: [PublishedFile], _ pool: ServedPool) -> ServedPool.File? {
        files.last?.predecessor(in: pool)
    }
}

/// What was learnt of a host before anything is changed.
package struct HostState: Sendable, Hashable {
    package let host: PublishHost
    /// What it serves, or why that is not known.
    package let pool: Result<ServedPool, ToolError>
    /// True when it serves the same rules and facts already, and its last load was accepted.
    package var isCurrent = false

    package init(host: PublishHost, pool: Result<ServedPool, ToolError>) {
        self.host = host
        self.pool = pool
    }
}
