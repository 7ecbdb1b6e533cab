package import JSON
package import NotificationStore
internal import System

/// A line of a decision log (retention-monitoring(7)).
package enum DecisionLine {
    case record(DecisionBatch.Record, Origin)
    case rules(Rules)
    case end(instance: String, sequence: Int64)

    /// Which worker wrote a record.
    package struct Origin {
        package let instance: String
        package let sequence: Int64
        /// Milliseconds since 1970-01-01 UTC.
        package let time: Int64
    }

    /// What a worker says of a rules file that it serves.
    package struct Rules {
        package let digest: String
        package let app: Int64
        package let environment: String
        package let instance: String
        package let identifierKey: String
        package let time: Int64
        package let experiments: [JSONValue]
    }

    private static let limits = JSONLimits(byteCount: 64 << 10, depth: 8)

    /// Nil for a line that a full disk has cut, or that is none of a decision log.
    package init?(_ line: Span<UInt8>) {
        guard let root = (try? JSONDocument(parsing: line, limits: Self.limits))?.root else { return nil }
        if let record = DecisionBatch.Record(root), let origin = Origin(root) {
            self = .record(record, origin)
        } else if let rules = Rules(root) {
            self = .rules(rules)
        } else if let instance = root.member("end")?.string, let sequence = root.sequence(from: 0) {
            self = .end(instance: instance, sequence: sequence)
        } else {
            return nil
        }
    }
}

extension DecisionLine.Origin {
    fileprivate init?(_ root: JSONValue) {
        guard let instance = root.member("instance")?.string, let sequence = root.sequence(from: 1),
            let time = root.time("time")
        else { return nil }
        (self.instance, self.sequence, self.time) = (instance, sequence, time)
    }
}

extension DecisionLine.Rules {
    fileprivate init?(_ root: JSONValue) {
        guard let digest = root.member("rules")?.string, let app = root.member("app")?.int64,
            let environment = root.member("environment")?.string,
            let instance = root.member("instance")?.string,
            let identifierKey = root.member("identifierKey")?.string, let time = root.time("time")
        else { return nil }
        (self.digest, self.app, self.environment) = (digest, app, environment)
        (self.instance, self.identifierKey, self.time) = (instance, identifierKey, time)
        experiments = root.member("experiments")?.elements ?? []
    }
}

extension DecisionBatch.Record {
    fileprivate init?(_ root: JSONValue) {
        guard let subscriber = root.member("subscriber")?.withUTF8(UUID.init(digits:)) ?? nil,
            let signedAt = root.time("signedDate"),
            let request = root.member("requestIdentifier")?.withUTF8({ UUID($0) }) ?? nil,
            let app = root.member("app")?.int64, let environment = root.member("environment")?.string,
            let digest = root.member("digest")?.string, let product = root.member("product")?.string,
            let draws = DecisionDraws(root), let served = root.member("served")
        else { return nil }
        self.init(
            subscriber: subscriber, signedAt: signedAt, request: request, app: app, environment: environment,
            digest: digest, draws: draws, product: product, served: served.member("kind")?.string ?? "none")
    }
}

extension DecisionDraws {
    fileprivate init?(_ root: JSONValue) {
        guard let reason = root.member("reason")?.string else { return nil }
        // The draws of a held-out subscriber stand in the shadow, and belong to no arm.
        var draws: [Draw] = []
        for draw in root.member("assigned")?.elements ?? [] {
            guard let rule = draw.member("rule")?.string else { continue }
            draws.append(
                Draw(rule: rule, arm: draw.member("arm")?.string, step: draw.member("step")?.string))
        }
        if reason == "SPLIT", let rule = root.member("rule")?.string {
            draws.append(Draw(rule: rule, arm: root.member("arm")?.string, step: nil))
        }
        self.init(
            isHeldOut: reason == "HOLDOUT", isDrawn: !["KILL_SWITCH", "ERROR"].contains(reason), rules: draws)
    }
}

extension JSONValue {
    fileprivate func sequence(from least: Int64) -> Int64? {
        guard let number = member("sequence")?.int64, (least...1 << 40).contains(number) else { return nil }
        return number
    }

    fileprivate func time(_ name: StaticString) -> Int64? {
        member(name)?.string.flatMap { CivilTime($0)?.milliseconds }
    }
}

extension UUID {
    /// A pseudonym: 32 hexadecimal digits.
    init?(digits: Span<UInt8>) {
        guard digits.count == 32 else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for index in digits.indices {
            guard let value = HexadecimalDigits.value(of: digits[index]) else { return nil }
            if index < 16 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
        }
        self.init(high: high, low: low)
    }
}
