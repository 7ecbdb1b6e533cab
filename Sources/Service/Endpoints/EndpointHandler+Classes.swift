public import FastCGI

/// Which requests wait for their turn.
extension EndpointHandler {
    /// Queues requests for retention messages, by the time at which nginx received them. Everything else is answered at
    /// once: pings, status pages and refusals take microseconds, and matter most when many requests wait.
    public func classify(_ parameters: Span<UInt8>, wallMilliseconds now: Int64) -> RequestClass {
        // Of several parameters with one name the first counts, as for libfcgi.
        var isMessage: Bool?
        var sent: Range<Int>?
        var elapsed: Range<Int>?
        ParameterPairs.forEach(in: parameters) { name, value in
            switch name.count {
            case 18 where ParameterPairs.equal(parameters, at: name, "RETENTION_ENDPOINT"):
                isMessage = isMessage ?? ParameterPairs.equal(parameters, at: value, "retention-message")
            case 14 where ParameterPairs.equal(parameters, at: name, "RETENTION_MSEC"):
                sent = sent ?? value
            case 17 where ParameterPairs.equal(parameters, at: name, "RETENTION_ELAPSED"):
                elapsed = elapsed ?? value
            default: break
            }
        }
        guard isMessage == true else { return .prompt }
        guard let sent, let elapsed,
            case .known(let received) = ReceivedTime(
                sent: parameters.extracting(sent), elapsed: parameters.extracting(elapsed),
                nowMilliseconds: now)
        else { return .queued(receivedMilliseconds: nil) }
        return .queued(receivedMilliseconds: received)
    }
}
