import Configuration
import JSON
@testable import Recorder
import Support
import Testing

/// What the manual says about a setting and a reload of the recorder, against what the recorder does.
@Suite("A setting of the recorder")
struct RecorderSettingTests {
    private static let changed = [
        "listen": #""unix:/other.sock""#, "store": #""sqlite:/other.db""#, "pidFile": #""/other.pid""#,
        "deadlineMilliseconds": "4000", "retentionDays": "400",
        "forward": #"[{"url": "https://a.example/"}]"#,
    ]

    private func verdict(_ bench: RecorderBench) throws -> String {
        String(decoding: try bench.folder.read("recorder.pid.reload.json"), as: UTF8.self)
    }

    /// Writes the bench's configuration with a member replaced or added, and has the recorder read it again.
    private func reload(_ bench: RecorderBench, _ outer: String = "", _ inner: String = "") throws {
        let places = [
            "pidFile": "\"\(bench.folder.path(of: "recorder.pid"))\"",
            "listen": "\"unix:\(bench.folder.path(of: "recorder.sock"))\"",
            "store": "\"sqlite:\(bench.folder.path(of: "store.db"))\"",
        ]
        let name = inner.split(separator: "\"").first.map(String.init) ?? ""
        let members = places.filter { $0.key != name }.map { "\"\($0.key)\": \($0.value)" }
        let text = String(decoding: try bench.folder.read("retentiond.json"), as: UTF8.self)
        let start = try #require(text.firstRange(of: "\"notifications\"")).lowerBound
        let all = members + (inner.isEmpty ? [] : [inner])
        let head = text[..<start] + (outer.isEmpty ? "" : outer + ", ")
        try bench.folder.write(
            head + "\"notifications\": {\(all.joined(separator: ", "))}}", to: "retentiond.json")
        bench.process.reload()
    }

    @Test("below `notifications` is applied or refused at a reload as the manual says of it")
    func notifications() throws {
        let settings = try ShippedSchema.settings().filter { setting in
            setting.path.hasPrefix("notifications.") && !setting.path.contains("[]")
        }
        #expect(settings.count == Self.changed.count)
        for setting in settings {
            let name = String(setting.path.dropFirst("notifications.".count))
            let value = try #require(Self.changed[name], "\(name)")
            let onHangup = try #require(setting.schema.member("x-on-hup")?.string, "\(name)")
            #expect(["applied", "restart"].contains(onHangup), "\(name)")
            let bench = try RecorderBench()
            try reload(bench, "", "\"\(name)\": \(value)")
            let verdict = try verdict(bench)
            if onHangup == "restart" {
                #expect(verdict.contains("needs-restart") && verdict.contains(setting.path), "\(verdict)")
                #expect(bench.log.contains("only a restart applies \(setting.path)"))
            } else {
                #expect(verdict.contains("\"loaded\""), "\(name): \(verdict)")
            }
        }
    }

    /// Other values for the settings elsewhere that the recorder reads only when it starts.
    private static let outer = [
        "listenMode": #""listenMode": "0600""#, "listenGroup": #""listenGroup": "root""#,
        "log.level": #""log": {"level": "error"}"#,
        "log.format": #""log": {"format": "json"}"#,
    ]

    @Test(
        "elsewhere that only a start applies is named in the refusal of a reload, and on the page",
        arguments: RecorderConfiguration.restartKeys
    )
    func restart(name: String) throws {
        let bench = try RecorderBench()
        try reload(bench, try #require(Self.outer[name]))
        let verdict = try verdict(bench)
        #expect(verdict.contains("needs-restart") && verdict.contains(name), "\(verdict)")
        #expect(bench.log.contains("only a restart applies"))
        let page = try ManualPage.text("retentiond-recorder.8.md")
        let signals = try #require(page.firstRange(of: "\nHUP\n")).upperBound
        let end = try #require(page[signals...].firstRange(of: "\nQUIT\n")).lowerBound
        #expect(page[signals..<end].contains("`\(name)`"), "\(name)")
    }

    @Test("of the socket needs no restart where systemd makes the socket")
    func systemd() throws {
        let folder = try TemporaryDirectory()
        let app = #"{"appAppleId": 1, "bundleId": "a", "environments": ["Sandbox"]}"#
        func configuration(_ members: String) throws -> RecorderConfiguration {
            let text = #"{\#(members)"apps": [\#(app)], "notifications": {"listen": "systemd"}}"#
            try folder.write(text, to: "retentiond.json")
            return try RecorderConfiguration(path: folder.path(of: "retentiond.json"))
        }
        let running = try configuration("")
        let group = try configuration(#""listenGroup": "root", "listenMode": "0600", "#)
        #expect(group.restartKeys(changedFrom: running) == [])
        let level = try configuration(#""listenGroup": "root", "log": {"level": "error"}, "#)
        #expect(level.restartKeys(changedFrom: running) == ["log.level"])
    }

    private static func directive(_ name: String, _ file: String) throws -> Substring {
        let path = "\(SourceFile.root)/nginx/retentiond-notifications-\(file).conf"
        let text = String(decoding: try SourceFile.read(path), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == name[...], words.count >= 2 { return words[1].prefix { $0 != ";" } }
        }
        throw Failure()
    }

    private struct Failure: Error {}

    private static func milliseconds(_ name: String) throws -> Int64 {
        let text = try directive(name, "pass")
        if text.hasSuffix("ms") { return try #require(Int64(text.dropLast(2))) }
        return try #require(text.hasSuffix("s") ? Int64(text.dropLast()) : nil) * 1000
    }

    /// nginx must not give up a request before the recorder has answered.
    @Test("of the deadline is below the times of the shipped nginx files")
    func deadline() throws {
        for name in ["fastcgi_read_timeout", "fastcgi_next_upstream_timeout"] {
            #expect(try Self.milliseconds(name) >= NotificationSettings().deadlineMilliseconds + 1000)
        }
    }
}
