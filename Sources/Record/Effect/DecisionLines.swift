internal import Cryptography
internal import JSON
internal import NotificationStore
internal import System

/// What some lines of decision logs say (retention-monitoring(7)).
struct DecisionLines {
    private(set) var batch = DecisionBatch()
    private(set) var report = DecisionImportReport()

    private static let limits = JSONLimits(byteCount: 64 << 10, depth: 8)

    /// `lines` are whole.
    mutating func add(lines: [UInt8]) {
        var start = 0
        while let end = ByteComparison.firstIndex(of: 0x0A, in: lines.span, from: start) {
            // A writer ends a line that a full disk has cut with a line feed.
            if end > start { add(lines.span.extracting(start..<end)) }
            start = end + 1
        }
    }

    private mutating func add(_ line: Span<UInt8>) {
        let root = (try? JSONDocument(parsing: line, limits: Self.limits))?.root
        if let root, addRecord(root) || addRules(root) || addEnd(root) { return }
        report.brokenLineCount += 1
    }

    private mutating func addRecord(_ root: JSONValue) -> Bool {
        guard let record = DecisionBatch.Record(root), let instance = root.member("instance")?.string,
            let sequence = root.sequence(from: 1), let time = root.time("time")
        else { return false }
        batch.add(record)
        batch.change(instance: instance) {
            $0.seen.insert(sequence)
            $0.digests.insert(record.digest)
            $0.include(time: time)
        }
        report.recordCount += 1
        return true
    }

    /// What a worker says of a rules file that it serves.
    private mutating func addRules(_ root: JSONValue) -> Bool {
        guard let digest = root.member("rules")?.string, let app = root.member("app")?.int64,
            let environment = root.member("environment")?.string,
            let instance = root.member("instance")?.string,
            let identifierKey = root.member("identifierKey")?.string, let time = root.time("time")
        else { return false }
        batch.add(
            rules: digest, app: app, environment: environment,
            experiments: root.member("experiments")?.elements ?? [])
        batch.change(instance: instance) {
            $0.identifierKey = identifierKey
            $0.digests.insert(digest)
            $0.include(time: time)
        }
        return true
    }

    private mutating func addEnd(_ root: JSONValue) -> Bool {
        guard let instance = root.member("end")?.string, let sequence = root.sequence(from: 0) else {
            return false
        }
        batch.change(instance: instance) { $0.lastSequence = max($0.lastSequence ?? 0, sequence) }
        return true
    }
}

extension DecisionBatch.Record {
    fileprivate init?(_ root: JSONValue) {
        let pseudonym = root.member("subscriber")?.string.flatMap(Hexadecimal.decode)
        guard let subscriber = pseudonym.flatMap({ UUID(bytes: $0) }), let signedAt = root.time("signedDate"),
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
