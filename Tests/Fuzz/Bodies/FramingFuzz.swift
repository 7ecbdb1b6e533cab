@testable internal import FastCGI

/// The body of the framing fuzzer: gives any bytes to the framing check. The check must not trap, and must give the
/// same verdict when the bytes arrive at once, byte by byte or in two pieces.
///
/// - Returns: false when two verdicts differ, which is a bug.
package func fuzzFraming(_ bytes: Span<UInt8>) -> Bool {
    var whole = FramingCheck()
    let expected = whole.consume(bytes)

    var single = FramingCheck()
    var verdict = FramingCheck.Verdict.incomplete
    for index in bytes.indices {
        verdict = single.consume(bytes.extracting(index..<index + 1))
        // When a request ends before the last byte, this check says complete and the check of all bytes says pipelined.
        if verdict.isWhole, index + 1 < bytes.count { verdict = .refused }
        if verdict != .incomplete { break }
    }
    guard verdict == expected else { return false }

    guard bytes.count > 1 else { return true }
    let cut = 1 + Int(bytes[0]) * 31 % (bytes.count - 1)
    var halves = FramingCheck()
    var last = halves.consume(bytes.extracting(first: cut))
    if last == .incomplete {
        last = halves.consume(bytes.extracting(cut..<bytes.count))
    } else if last.isWhole {
        last = .refused
    }
    return last == expected
}
