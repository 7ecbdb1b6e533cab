internal import DataFiles

extension Evaluation {
    /// Returns the file's holdout if the subscriber is in it and it is not over.
    mutating func holdoutThatApplies(_ bytes: RawSpan) -> HoldoutRecord? {
        guard let holdout = tables.holdout.record(at: 0, in: bytes) else { return nil }
        guard request.nowMilliseconds < holdout.until else {
            tracer.record(.holdout(nil))
            return nil
        }
        let draw = draw(holdout.split, bytes)
        tracer.record(.holdout(draw))
        return draw.isIn ? holdout : nil
    }

    /// Draws the subscriber's bucket in a split.
    mutating func draw(_ reference: EntryReference, _ bytes: RawSpan) -> SplitDraw {
        guard let split = tables.splits.record(at: reference.index, in: bytes),
            let salt = tables.strings.range(of: split.salt, in: bytes),
            let unit = UInt16(exactly: split.unit).flatMap(Fact.init(number:))
        else { return SplitDraw(split: reference, hash: nil, isIn: false) }
        let hash = facts.withBytes(of: unit) { text in
            var hash = MurmurHash3()
            hash.add(bytes, salt)
            hash.add(Bucketing.separator)
            hash.add(text)
            return hash.value
        }
        let isIn = hash.map { Bucketing.bucket(ofHash: $0) < Int(split.basisPoints) } ?? false
        return SplitDraw(split: reference, hash: hash, isIn: isIn)
    }

    /// Returns the arm that has the subscriber's bucket, counted from 0 in its rule; nil when the unit is missing.
    mutating func arm(of draw: SplitDraw, _ steps: RuleStepsRecord, _ bytes: RawSpan) -> Int? {
        guard let bucket = draw.bucket else { return nil }
        for arm in 0..<Int(steps.armCount) {
            guard let record = tables.arms.record(at: steps.firstArm.index + arm, in: bytes) else {
                return nil
            }
            if bucket < Int(record.end) { return arm }
        }
        return nil
    }
}
