internal import System
internal import Telemetry

/// Watches the certificates that the workers use.
extension Supervisor {
    /// Logs each certificate in use that ends within 30 days, once a day.
    func watchCertificates() {
        let warnings = certificateWatch.look(at: Clock.wallMilliseconds(), counters.certificatesInUse)
        for warning in warnings { warning.write(to: logger) }
    }
}
