/// What a report compares: subscribers in one part of a random draw with those in the others.
package struct Experiment: Sendable, Hashable, Comparable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case holdout
        case rollout
        case arms
    }

    package let kind: Kind
    /// Nil for the holdout, which is of no rule.
    package let rule: String?
    package let salt: String

    package init(_ kind: Kind, rule: String?, salt: String) {
        (self.kind, self.rule, self.salt) = (kind, rule, salt)
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.key.lexicographicallyPrecedes(right.key)
    }

    private var key: [String] {
        [String(Kind.allCases.firstIndex(of: kind) ?? 0), rule ?? "", salt]
    }
}

/// A time in which the shares of an experiment did not change. A unit belongs to the epoch of its first draw.
package struct Epoch: Sendable, Hashable {
    package struct Arm: Sendable, Hashable {
        package let name: String
        /// Shares of one epoch add up to more than 0.
        package let share: Int

        package init(_ name: String, _ share: Int) { (self.name, self.share) = (name, share) }
    }

    /// In the order of comparison: the first is the control.
    package let arms: [Arm]
    /// The time of the first draw, milliseconds since 1970-01-01 UTC.
    package let from: Int64
    /// The decisions of its workers, and those that gaps show as lost.
    package let present: Int
    package let missing: Int
}

/// What may have become of a unit. Times count from its request.
package enum Outcome: String, Sendable, Hashable, CaseIterable {
    case kept24h
    case kept7d
    case renewed
    case refunded30d
    case revenue30d
    case redeemed24h
    case switched24h
    /// A change of renewal or a refund in the 30 days before the request: no message can have an effect on it.
    case placebo
}

/// An outcome, and for revenue the currency (ISO 4217).
package struct OutcomeKey: Sendable, Hashable, Comparable {
    package let outcome: Outcome
    package let currency: String?

    package init(_ outcome: Outcome, currency: String? = nil) {
        (self.outcome, self.currency) = (outcome, currency)
    }

    package static func < (left: Self, right: Self) -> Bool {
        [left.outcome.rawValue, left.currency ?? ""]
            .lexicographicallyPrecedes([right.outcome.rawValue, right.currency ?? ""])
    }
}

/// The units of one arm that were drawn first on one day of one epoch.
package struct EffectCell: Sendable, Hashable {
    package var epoch: Int
    package let arm: String
    /// Days since 1970-01-01 UTC.
    package let day: Int
    package var units = 0
    /// The mature units of each outcome: how many have which value. 1 and 0 stand for yes and no; revenue is in milliunits.
    package var values: [OutcomeKey: [Int64: Int]] = [:]
}

/// All that statistics need of one experiment.
package struct ExperimentSums: Sendable, Hashable {
    package let experiment: Experiment
    package var epochs: [Epoch] = []
    /// In the order of epochs, arms and days.
    package var cells: [EffectCell] = []
    /// What units got at their first draw: by arm, the number of units by the kind of answer (`none`, `message`, `switch`,
    /// `offer`, `advancedCommerce`).
    package var answers: [String: [String: Int]] = [:]
    /// Units of known subscribers whose draw was made anew from the identifier, and how many came out otherwise.
    package var checkedUnits = 0
    package var differentUnits = 0
    /// Its workers with another key, and the times behind its first draw that `recover` has not read, although it has read later ones.
    package var otherKeyInstances = 0
    package var notificationGaps = 0

    package init(_ experiment: Experiment) { self.experiment = experiment }

    mutating func sortCells() {
        let arms = epochs.map { $0.arms.map(\.name) }
        func place(_ cell: EffectCell) -> (epoch: Int, arm: Int, day: Int) {
            (cell.epoch, arms[cell.epoch].firstIndex(of: cell.arm) ?? 0, cell.day)
        }
        cells.sort { place($0) < place($1) }
    }
}

/// How far the data can be relied on.
package struct EffectQuality: Sendable, Hashable {
    package var decisions = 0
    /// Records that gaps in the numbers of an instance show as lost.
    package var missingDecisions = 0
    /// Subscribers with a unit that the store of notifications knows, and those it does not know.
    package var knownUnits = 0
    package var unknownUnits = 0
    /// Until when decisions and notifications are complete, milliseconds since 1970; nil: nothing is there.
    package var decisionsUntil: Int64?
    package var notificationsUntil: Int64?
    /// The same of the whole store: faults before an experiment do not matter to it.
    package var notificationGaps = 0
    package var otherKeyInstances = 0
}

/// The sums of a report: of one app and environment, at one time.
package struct EffectSums: Sendable, Hashable {
    /// Bundle identifier.
    package let app: String
    package let environment: String
    /// Milliseconds since 1970-01-01 UTC.
    package let now: Int64
    package var experiments: [ExperimentSums] = []
    package var quality = EffectQuality()
}
