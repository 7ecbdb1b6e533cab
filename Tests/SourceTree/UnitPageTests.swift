import Support
import Testing

/// The units of systemd and the pages must name the same files: a unit that reads another file than the page tells people
/// to make does not start.
@Suite("The units of systemd")
struct UnitPageTests {
    private static func text(_ path: String) throws -> String {
        String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
    }

    /// The units in `examples`, by name.
    private static func units() throws -> [String: String] {
        let kinds = [".service", ".socket", ".timer"]
        let paths = try SourceFile.paths(below: "examples").filter { path in
            kinds.contains { path.hasSuffix($0) }
        }
        var units: [String: String] = [:]
        for path in paths { units[path] = try text(path) }
        return units
    }

    /// The text of README.md and of all pages, without the marks of emphasis.
    private static func pages() throws -> String {
        let pages = try SourceFile.paths(below: ManualPage.folder).filter { $0.hasSuffix(".md") }
        return try (["README.md"] + pages).map(text).joined(separator: "\n")
            .replacing("*", with: "")
    }

    /// The directories that systemd makes for a unit, by the key that names them.
    private static let made = [
        "StateDirectory": "/var/lib/", "RuntimeDirectory": "/run/", "LogsDirectory": "/var/log/",
    ]

    /// The files and directories that a unit names, also in its comments.
    private static func places(_ unit: String) -> Set<String> {
        var places: Set<String> = []
        for line in unit.split(separator: "\n") {
            for match in line.matches(of: /(?:^|[ =:"-])(\/(?:etc|run|var)\/[A-Za-z0-9._\/-]*[A-Za-z0-9])/) {
                places.insert(String(match.output.1))
            }
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2, let root = made[String(parts[0])] {
                for name in parts[1].split(separator: " ") { places.insert(root + name) }
            }
        }
        return places.filter { !$0.hasPrefix("/etc/systemd/") }
    }

    @Test("name only files and directories that the README or a page names")
    func documented() throws {
        let pages = try Self.pages()
        let units = try Self.units()
        #expect(units.count >= 4)
        for (path, unit) in units {
            let places = Self.places(unit)
            #expect(!places.isEmpty || path.hasSuffix(".timer"), "\(path)")
            for place in places { #expect(pages.contains(place), "\(path): \(place)") }
        }
    }

    /// systemd gives a unit up that it has started five times within ten seconds, unless the unit says otherwise.
    @Test("are never given up when they end again and again")
    func restarting() throws {
        var daemons = 0
        for (path, unit) in try Self.units() where path.hasSuffix(".service") {
            let lines = unit.split(separator: "\n").map(String.init)
            if lines.contains("Type=oneshot") { continue }
            daemons += 1
            #expect(lines.contains("Restart=always") || lines.contains("Restart=on-failure"), "\(path)")
            let pause = lines.compactMap { $0.wholeMatch(of: /RestartSec=([0-9]+)/) }.first
            let seconds = try #require(pause.flatMap { Int($0.output.1) }, "\(path)")
            #expect(seconds >= 1, "\(path)")
            if seconds < 10 {
                let end = try #require(lines.firstIndex(of: "[Service]"))
                #expect(lines[..<end].contains("StartLimitIntervalSec=0"), "\(path)")
            }
        }
        #expect(daemons >= 3)
    }

    /// libpq ignores a password file that systemd lets a group read, and all programs have one address from one configuration.
    @Test("have no path to the password of a server")
    func password() throws {
        let users = try Self.units().filter { $0.value.contains("StateDirectory=retentiond/store") }
        #expect(users.count >= 2)
        for (path, unit) in users {
            #expect(!unit.contains("PGPASSFILE") && !unit.contains("LoadCredential=pgpass"), "\(path)")
        }
    }
}
