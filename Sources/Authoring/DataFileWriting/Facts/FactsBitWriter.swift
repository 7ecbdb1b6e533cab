internal import System

/// Fills bytes bit after bit, word by word.
struct FactsBitWriter {
    /// Where the next word goes.
    private(set) var end: Int
    /// What is not written yet: its lowest bits.
    private(set) var waiting: UInt64
    private(set) var waitingCount: Int

    /// Starts with some bits.
    @inline(__always)
    init(at offset: Int, beginningWith bits: UInt64, bitCount: Int) {
        end = offset
        waiting = bits
        waitingCount = bitCount
    }

    /// Puts a value of so many bits behind what came before.
    @inline(__always)
    mutating func put(_ value: UInt64, bitCount: Int, into bytes: inout MutableSpan<UInt8>) {
        // A shift by 64 gives 0, as it should.
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
    /// So many bits, at most 64, from a bit on, the lowest of each byte first; `mask` has as many ones. Nil where the
    /// eight bytes from that of the first bit on are not all inside.
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
