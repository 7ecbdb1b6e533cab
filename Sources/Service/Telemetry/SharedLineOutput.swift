public import System

/// A file to which all processes of the pool append lines. When a full disk has cut a line short, the process that writes
/// next ends that line first, whichever process it is. So no whole line is glued to half of another one, unless both were
/// written in the same moment. One thread must own a value of this type.
public final class SharedLineOutput {
    private let output: LineOutput
    private let counters: SharedCounters
    /// The number of lines cut short that this process knows of.
    private var known: UInt64

    /// Appends to the file at `path`. Makes the file, with mode 0640, when it does not exist.
    ///
    /// - Throws: the errno of `open`; `system.enxio` for a FIFO that no process reads.
    public init(appendingTo path: String, counters: SharedCounters) throws(SystemCallError) {
        known = counters.value(.decisionsTorn)
        self.counters = counters
        output = try LineOutput(appendingTo: path)
    }

    /// Writes lines as ``LineOutput/write(_:ends:)`` does.
    ///
    /// - Returns: the number of lines that were written whole.
    public func write(_ text: Span<UInt8>, ends: [Int]) -> Int {
        let now = counters.value(.decisionsTorn)
        if now != known {
            known = now
            output.endTornLine()
        }
        let before = output.cutCount
        let written = output.write(text, ends: ends)
        let cut = output.cutCount - before
        if cut > 0 {
            counters.add(.decisionsTorn, UInt64(cut))
            known += UInt64(cut)
        }
        return written
    }
}
