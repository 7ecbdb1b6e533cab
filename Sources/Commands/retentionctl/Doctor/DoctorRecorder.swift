internal import CommandLineTool
internal import Configuration
internal import JSON
internal import NotificationStore
internal import System

/// Checks the recorder and its store. Without `notifications` in the configuration there is nothing to check.
struct DoctorRecorder {
    private let findings: DoctorFindings
    private let settings: NotificationSettings?
    private let programs: DaemonPrograms

    init(_ findings: DoctorFindings, _ configuration: Configuration, _ programs: DaemonPrograms) {
        (self.findings, settings, self.programs) = (findings, configuration.notifications, programs)
    }

    func check() {
        guard let settings else { return }
        do {
            let run = try programs.check("retentiond-recorder")
            guard run.exit?.isSuccess == true else {
                let reason = DaemonPrograms.lines(run, of: "retentiond-recorder").joined(separator: "; ")
                findings.fail(
                    "recorder", reason, "mend it, then: runuser -u retentiond -- retentiond-recorder -t")
                return
            }
            findings.ok("recorder", "a start opens everything that it needs")
            checkStore(settings)
        } catch { findings.fail("recorder", error) }
    }

    private func checkStore(_ settings: NotificationSettings) {
        do {
            let tool = ["store", "stats", "--json"]
            let run = try programs.run("retentionctl", tool, package: "retentionctl")
            guard run.exit?.isSuccess == true, let stats = LocalProgram.json(run.output) else {
                let failure = LocalProgram.failure(run)
                if failure.code == "store.missing" {
                    findings.warn(
                        "store", "there is none yet; the recorder makes it",
                        "systemctl enable --now retentiond-recorder.socket retentiond-recorder.service")
                } else {
                    findings.fail(
                        "store", failure.message, "retentionctl store check --config \(programs.config)")
                }
                return
            }
            let count = stats.member("notifications")?.int64 ?? 0
            guard let newest = stats.member("lastReceivedAt")?.int64 else {
                findings.ok(
                    "store",
                    "\(settings.store): no notification yet; try retentionctl apple test-notification")
                return checkSpace(settings)
            }
            let days = (Clock.wallMilliseconds() - newest) / 86_400_000
            let text = "\(settings.store): \(count) notifications, the newest \(days) days old"
            if days >= 2 {
                findings.warn("store", text, "retentionctl notifications recover --config \(programs.config)")
            } else {
                findings.ok("store", text)
            }
            checkSpace(settings)
        } catch { findings.fail("store", error) }
    }

    private func checkSpace(_ settings: NotificationSettings) {
        let prefix = "sqlite:"
        guard settings.store.hasPrefix(prefix) else { return }
        let folder = Directory.parent(of: String(settings.store.dropFirst(prefix.count)))
        guard let free = Disk.freeBytes(at: folder) else { return }
        if free < Disk.leastBytes {
            findings.fail(
                "store", "\(free >> 20) MiB are free in \(folder)",
                "retentionctl store prune, or a larger disk")
        } else {
            findings.ok("store", "\(free >> 30) GiB are free in \(folder)")
        }
    }
}
