internal import DataFiles

extension Evaluation {
    /// Returns the file's holdout if the subscriber is in it and it is not over.
    mutating func holdoutThatApplies(_ bytes: RawSpan) -> HoldoutRecord? {
        guard let holdout = tables.holdout.record(at: 0, in: bytes) else { return nil }
        guard request.nowMilliseconds < holdout.until else {
            tracer.record(.holdout(nil))
            return nil
        }
        let look = look(at: holdout.split, bytes)
        tracer.record(.holdout(look))
        return look.isIn ? holdout : nil
    }

    /// Draws the subscriber's bucket in a split.
    mutating func look(at reference: EntryReference, _ bytes: RawSpan) -> SplitLook {
        guard let split = tables.splits.record(at: reference.index, in: bytes),
            let salt = tables.strings.range(of: split.salt, in: bytes),
            let unit = UInt16(exactly: split.unit).flatMap(Fact.init(number:))
        else { return SplitLook(split: reference, hash: nil, isIn: false) }
        let hash = facts.withBytes(of: unit) { text in
            var hash = MurmurHash3()
            hash.add(bytes, salt)
            hash.add(Bucketing.separator)
            hash.add(text)
            return hash.value
        }
        let isIn = hash.map { Bucketing.bucket(ofHash: $0) < Int(split.basisPoints) } ?? false
        return SplitLook(split: reference, hash: hash, isIn: isIn)
    }

    /// Returns the arm that has the subscriber's bucket, counted from 0 in its rule; nil when the unit is missing.
    mutating func arm(of look: SplitLook, _ steps: RuleStepsRecord, _ bytes: RawSpan) -> Int? {
        guard let bucket = look.bucket else { return nil }
        for arm in 0..<Int(steps.armCount) {
            guard let record = tables.arms.record(at: steps.firstArm.index + arm, in: bytes) else {
                return nil
            }
            if bucket < Int(record.end) { return arm }
        }
        return nil
    }
}
