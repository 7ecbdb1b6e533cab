internal import CommandLineTool
internal import Configuration
internal import Cryptography
internal import Facts
internal import Foundation
internal import JSON
internal import System

/// Runs the daemons' own programs with the rights of the daemons.
struct DaemonPrograms {
    let config: String
    /// The user whose rights they get; nil for those of whoever asks.
    private let user: String?
    private let isRoot: Bool

    /// When root asks, the owner of the state directory is the user of the daemons.
    init(config: String, _ configuration: Configuration) {
        self.config = config
        let owner = (try? FileStatus(path: configuration.stateDirectory))?.userID
        isRoot = Credentials.isPrivileged && owner == 0
        user = Credentials.isPrivileged && !isRoot ? owner.map(Accounts.userName) ?? "retentiond" : nil
    }

    func run(_ program: String, _ arguments: [String], package: String) throws -> Subprocess.Result {
        let words = [try LocalProgram.path(of: program, package: package)] + arguments + ["--config", config]
        return try LocalProgram.run(
            (user.map { ["runuser", "-u", $0, "--"] } ?? []) + words, package: package)
    }

    /// Has a daemon check what a start opens.
    func check(_ daemon: String) throws -> Subprocess.Result {
        try run(daemon, ["-t"] + (isRoot ? ["--allow-root"] : []), package: daemon)
    }

    /// What the program wrote to standard error, without its name at the start of each line.
    static func lines(_ run: Subprocess.Result, of program: String) -> [String] {
        String(decoding: run.errors, as: UTF8.self).split(separator: "\n").map { line in
            line.hasPrefix("\(program): ") ? String(line.dropFirst(program.count + 2)) : String(line)
        }
    }
}

/// Checks the pool: its configuration, the rights of its files, what it serves, its socket and its units.
final class DoctorPool {
    private let findings: DoctorFindings
    private let config: String
    private(set) var programs: DaemonPrograms?
    private(set) var configuration: Configuration?

    init(_ findings: DoctorFindings, config: String) {
        (self.findings, self.config) = (findings, config)
    }

    func check() {
        guard let configuration = readConfiguration() else { return }
        self.configuration = configuration
        let programs = DaemonPrograms(config: config, configuration)
        self.programs = programs
        checkKeys(configuration)
        checkStart(programs)
        checkDataDirectory(configuration.dataDirectory)
        checkUnits(configuration)
        checkSocket(configuration)
        checkServed(configuration, programs)
        checkLogs(configuration)
    }

    private func readConfiguration() -> Configuration? {
        do {
            let text = try Input.read(config, limitBytes: ConfigurationLimits.fileBytes)
            let configuration = try ToolError.about(config) { try Configuration(parsing: text) }
            let apps = configuration.apps.map { app in
                "\(app.bundleId) in \(app.environments.map(\.rawValue).joined(separator: ", "))"
            }
            findings.ok("configuration", "\(config): \(apps.joined(separator: "; "))")
            if configuration.trustsCustomAnchors {
                let isTest = configuration.apps.allSatisfy { $0.environments == [.localTesting] }
                if isTest {
                    findings.ok("anchors", "a test authority alone is trusted: no customer is served")
                } else {
                    findings.warn(
                        "anchors", "other certificates than Apple's are trusted",
                        "remove anchors from \(config)")
                }
            }
            return configuration
        } catch {
            for finding in ToolError(error).findings {
                findings.fail(
                    "configuration", finding.text,
                    finding.hint
                        ?? (finding.code == "file.unreadable" ? "retentionctl setup" : "edit \(config)"))
            }
            return nil
        }
    }

    private func checkKeys(_ configuration: Configuration) {
        for key in configuration.apps.flatMap(\.signingKeys) {
            guard let status = try? FileStatus(path: key.file) else {
                findings.fail(
                    "key", "\(key.file) is not there, so no offer is signed",
                    "install -g retentiond -m 0640 AuthKey_\(key.keyId).p8 \(key.file)")
                continue
            }
            if status.permissions & 0o007 != 0 {
                findings.fail("key", "other users may read \(key.file)", "chmod o= \(key.file)")
            }
        }
    }

    /// Has the pool check what a start opens.
    private func checkStart(_ programs: DaemonPrograms) {
        do {
            let run = try programs.check("retentiond")
            let lines = DaemonPrograms.lines(run, of: "retentiond")
            // The line about anchors says more than the pool's warning.
            for line in lines where line.hasPrefix("warning: ") && !line.contains("other than Apple's") {
                findings.warn(
                    "check", String(line.dropFirst(9)), "retentiond -t, and retention-operations(7)")
            }
            for line in lines where line.hasPrefix("anchor") || line.hasPrefix("workers: ") {
                findings.ok("check", line)
            }
            if run.exit?.isSuccess == true {
                findings.ok("check", "a start opens everything that it needs")
            } else {
                let reasons = lines.filter { !$0.hasPrefix("the ") && !$0.hasPrefix("configuration file ") }
                let reason = reasons.filter { !$0.hasPrefix("warning: ") }.joined(separator: "; ")
                findings.fail(
                    "check", reason.isEmpty ? "retentiond -t failed" : reason,
                    "mend it, then: runuser -u retentiond -- retentiond -t")
            }
        } catch { findings.fail("check", error) }
    }

    private func checkDataDirectory(_ path: String) {
        guard let status = try? FileStatus(path: path), status.kind == .directory else {
            findings.fail(
                "data", "\(path) is no directory", "install -d -g retentiond -m 2750 \(path)")
            return
        }
        if status.isWorldWritable {
            findings.fail("data", "every user may write to \(path)", "chmod o-w \(path)")
        }
    }

    // MARK: - What serves

    private func checkUnits(_ configuration: Configuration) {
        guard (try? FileStatus(path: "/run/systemd/system")) != nil else { return }
        var units = configuration.listen == .systemd ? ["retentiond.socket"] : []
        units.append("retentiond.service")
        if let notifications = configuration.notifications {
            if notifications.listen == .systemd { units.append("retentiond-recorder.socket") }
            units.append("retentiond-recorder.service")
        }
        units.append("nginx.service")
        for unit in units {
            let state = Self.systemctl("is-active", unit)
            let enabled = Self.systemctl("is-enabled", unit)
            if state != "active" {
                findings.fail(
                    "unit", "\(unit) is \(state)",
                    "systemctl enable --now \(unit); journalctl -u \(unit) -n 50")
            } else if enabled == "disabled" {
                findings.warn("unit", "\(unit) does not start at boot", "systemctl enable \(unit)")
            } else {
                findings.ok("unit", "\(unit) is active")
            }
        }
    }

    private static func systemctl(_ verb: String, _ unit: String) -> String {
        let run = try? LocalProgram.run(["systemctl", verb, unit], package: "systemd")
        let text = String(decoding: run?.output ?? [], as: UTF8.self).split(separator: "\n").first
        return text.map(String.init) ?? "unknown"
    }

    private func checkSocket(_ configuration: Configuration) {
        let path: String
        switch configuration.listen {
        case .systemd: path = "/run/retentiond/retentiond.sock"
        case .unix(let socket): path = socket
        default: return
        }
        guard let status = try? FileStatus(path: path), status.kind == .socket else {
            findings.fail(
                "socket", "\(path) is not there", "systemctl restart retentiond.socket retentiond.service")
            return
        }
        let group = Accounts.groupName(status.groupID)
        if status.permissions & 0o002 != 0 {
            findings.fail(
                "socket", "every user may connect to \(path)", "set SocketMode=0660 or listenMode 0660")
        } else if status.permissions & 0o020 == 0 {
            findings.fail(
                "socket", "nginx may not connect to \(path)", "set SocketMode=0660 or listenMode 0660")
        } else {
            findings.ok("socket", "\(path), for the group \(group)")
        }
    }

    private func checkServed(_ configuration: Configuration, _ programs: DaemonPrograms) {
        let pool: ServedPool
        do {
            let run = try programs.run("retentiond", ["--served"], package: "retentiond")
            guard run.exit?.isSuccess == true else {
                let reason = DaemonPrograms.lines(run, of: "retentiond").joined(separator: "; ")
                findings.fail(
                    "served", reason, "systemctl restart retentiond; journalctl -u retentiond -n 50")
                return
            }
            pool = try ServedPool(reading: run.output)
        } catch {
            findings.fail("served", error)
            return
        }
        if let refusal = pool.refusal {
            findings.fail(
                "served",
                "the last load was refused: \(refusal.message) (\(refusal.code)); what served before serves on",
                "mend the file and publish it again: retentionctl publish rules.json --host local")
        }
        for app in configuration.apps {
            for environment in app.environments {
                let own = pool.files.filter {
                    $0.appAppleId == app.appAppleId && $0.environment == environment.rawValue
                }
                guard let rules = own.first(where: { $0.kind == DataFileKind.rules.name }) else {
                    findings.fail(
                        "rules", "there are none for \(app.bundleId) in \(environment.rawValue)",
                        "retentionctl publish rules.json --host local --confirm")
                    continue
                }
                findings.ok(
                    "rules",
                    "\(rules.name): \(rules.text), \(environment.rawValue)\(age(rules, configuration))")
                guard let facts = own.first(where: { $0.kind == DataFileKind.facts.name }) else { continue }
                checkFacts(facts, configuration)
            }
        }
        checkPushed(pool, configuration)
    }

    /// How long ago the pushed file was written; empty when it is gone.
    private func age(_ file: ServedPool.File, _ configuration: Configuration) -> String {
        guard let status = try? FileStatus(path: "\(configuration.dataDirectory)/\(file.name)") else {
            return ""
        }
        let seconds = max(0, Clock.wallMilliseconds() / 1000 - status.modifiedNanoseconds / 1_000_000_000)
        return ", pushed " + (seconds < 7200 ? "\(seconds / 60) minutes ago" : "\(seconds / 3600) hours ago")
    }

    private func checkFacts(_ file: ServedPool.File, _ configuration: Configuration) {
        let path = "\(configuration.dataDirectory)/\(file.name)"
        let text = "\(file.name): \(file.rows ?? 0) subscribers\(age(file, configuration))"
        guard let status = try? FileStatus(path: path) else { return findings.ok("facts", text) }
        let hours = (Clock.wallMilliseconds() / 1000 - status.modifiedNanoseconds / 1_000_000_000) / 3600
        if hours >= 26 {
            findings.warn("facts", "\(text): they are old", "systemctl status retentiond-facts.timer")
        } else {
            findings.ok("facts", text)
        }
    }

    /// Compares what lies in the data directory with what serves.
    private func checkPushed(_ pool: ServedPool, _ configuration: Configuration) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: configuration.dataDirectory)) ?? []
        for name in names.sorted() where DataFileName.kind(of: name) == .rules {
            guard let text = try? Input.read("\(configuration.dataDirectory)/\(name)") else {
                findings.fail(
                    "data", "\(name) cannot be read",
                    "chgrp retentiond and chmod 0640 \(configuration.dataDirectory)/\(name)")
                continue
            }
            let digest = SHA256.hash(text.span)
            if !pool.files.contains(where: { $0.digest == digest.hexadecimal }) {
                findings.warn("data", "\(name) lies there and does not serve", "systemctl reload retentiond")
            }
        }
    }

    // MARK: - Logs

    private func checkLogs(_ configuration: Configuration) {
        for path in [configuration.log.errorLog, configuration.log.decisions].compactMap({ $0 }) {
            let folder = Directory.parent(of: path)
            guard let free = Disk.freeBytes(at: folder) else {
                findings.fail(
                    "log", "\(folder) is not there",
                    "install -d -o retentiond -g retentiond -m 0750 \(folder)")
                continue
            }
            if free < Disk.leastBytes {
                findings.fail(
                    "log", "\(path): \(free >> 20) MiB are free", "make room on the disk of \(folder)")
            } else {
                findings.ok("log", "\(path), \(free >> 30) GiB free")
            }
        }
    }
}

enum Disk {
    /// Below this, a day of traffic may fill the disk.
    static let leastBytes: Int64 = 512 << 20

    static func freeBytes(at directory: String) -> Int64? {
        let values = try? FileManager.default.attributesOfFileSystem(forPath: directory)
        return (values?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
