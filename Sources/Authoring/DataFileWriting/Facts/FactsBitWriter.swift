internal import System

/// Writes values of any bit length one after the other, in words of 64 bits.
struct FactsBitWriter {
    /// The offset of the next word.
    private(set) var end: Int
    /// The bits that are not written yet; they are the lowest ``waitingCount`` bits.
    private(set) var waiting: UInt64
    private(set) var waitingCount: Int

    /// Starts at `offset` with `bitCount` bits that are put first.
    @inline(__always)
    init(at offset: Int, beginningWith bits: UInt64, bitCount: Int) {
        end = offset
        waiting = bits
        waitingCount = bitCount
    }

    /// Appends a value of `bitCount` bits.
    @inline(__always)
    mutating func put(_ value: UInt64, bitCount: Int, into bytes: inout MutableSpan<UInt8>) {
        // A shift by 64 gives 0, which is right here.
        waiting |= value << UInt64(truncatingIfNeeded: waitingCount)
        waitingCount &+= bitCount
        guard waitingCount >= 64 else { return }
        bytes.put(waiting, at: end)
        end &+= 8
        waitingCount &-= 64
        waiting = value >> UInt64(truncatingIfNeeded: bitCount &- waitingCount)
    }
}

extension RawSpan {
    /// Returns `count` bits, at most 64, from bit `first` on; the lowest bit of each byte comes first. `mask` has
    /// `count` ones. Returns nil when the eight bytes from the byte of the first bit on are not all inside the span.
    @inline(__always)
    func bits(first: Int, count: Int, mask: UInt64) -> UInt64? {
        let start = first >> 3
        let shift = UInt64(truncatingIfNeeded: first & 7)
        guard var word = uint64(at: start) else { return nil }
        word &>>= shift
        if count &+ first & 7 > 64 {
            guard let rest = uint8(at: start &+ 8) else { return nil }
            word |= UInt64(rest) << (64 &- shift)
        }
        return word & mask
    }
}
