public import System

/// An entry of `ruleSteps`: what a rule asks for beside its condition. Entry N belongs to rule N.
public struct RuleStepsRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// Which share of the subscribers it takes, in `splits`, or none: all.
    public var rollout: EntryReference
    /// How its arms share the subscribers, in `splits`, or none: it has no arms.
    public var variants: EntryReference
    /// The first of its entries in `arms`, or none.
    public var firstArm: EntryReference
    /// How many there are.
    public var armCount: UInt32

    /// Makes an entry.
    public init(
        rollout: EntryReference,
        variants: EntryReference,
        firstArm: EntryReference,
        armCount: UInt32
    ) {
        self.rollout = rollout
        self.variants = variants
        self.firstArm = firstArm
        self.armCount = armCount
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        rollout = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        variants = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        firstArm = EntryReference(UInt32(truncatingIfNeeded: words[1]))
        armCount = UInt32(truncatingIfNeeded: words[1] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(rollout.number)
        buffer.append(variants.number)
        buffer.append(firstArm.number)
        buffer.append(armCount)
    }
}
