internal import System
internal import Telemetry

/// Watches what makes an endpoint die silently: certificates that end, and a wrong clock.
extension Supervisor {
    /// Logs each certificate in use that ends within 30 days, once a day.
    func watchCertificates() {
        let warnings = certificateWatch.look(at: Clock.wallMilliseconds(), counters.certificatesInUse)
        for warning in warnings { warning.write(to: logger) }
    }

    /// Logs when the wall clock jumps, and when it disagrees with the dates that Apple signs.
    func watchClock() {
        let boot = Int64(Clock.bootNanoseconds() / 1_000_000)
        let warnings = clockWatch.look(
            wall: Clock.wallMilliseconds(), boot: boot, offset: counters.clockOffset(atMilliseconds: boot))
        for warning in warnings {
            warning.write(to: logger)
            guard case .jumped = warning else { continue }
            counters.add(.clockJumps)
            counters.forgetClockOffsets()
        }
    }
}
