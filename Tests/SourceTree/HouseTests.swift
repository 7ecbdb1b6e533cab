import Support
import Testing

@Suite("The house")
struct HouseTests {
    /// From the top of the house to its ground: a floor imports only what stands below it.
    static let floors = [
        "Commands", "Service", "Authoring", "Apple", "Record", "Reply", "Decision", "Request", "Platform",
        "Interop",
    ]
    /// Floors that stand side by side, above Reply.
    static let sideBySide: Set<String> = ["Service", "Authoring", "Apple", "Record"]
    /// Arrows inside one floor, from a target to those it may import.
    static let neighbours: [String: Set<String>] = [
        "System": ["Vocabulary"], "JSON": ["Vocabulary"], "Cryptography": ["Vocabulary"],
        "CertificateAuthority": ["Cryptography", "Vocabulary"], "HTTPClient": ["Vocabulary"],
        "Decisions": ["DataFiles"],
        "Answers": ["OfferSigning"],
        "Loader": ["Configuration"],
        "Endpoints": ["Configuration", "Loader", "Telemetry"],
        "Worker": ["Configuration", "Control", "Endpoints", "Loader", "Telemetry"],
        "Supervisor": ["Configuration", "Control", "Loader", "Telemetry"],
    ]
    /// What comes with the compiler or from the listed packages.
    static let outside: Set<String> = [
        "Glibc", "Synchronization", "Logging", "ArgumentParser", "Testing", "PackageDescription",
    ]

    @Test("lets arrows point down only", arguments: try SwiftSource.all(in: ["Sources"]))
    func arrows(source: SwiftSource) throws {
        guard let place = source.place else { return }
        let homes = try Self.homes()
        let floor = try #require(Self.floors.firstIndex(of: place.floor), "unknown floor \(place.floor)")
        for module in source.imports where !Self.outside.contains(module) {
            let home = try #require(homes[module], "\(module) is no target of this house")
            let other = try #require(Self.floors.firstIndex(of: home))
            if home == place.floor {
                let allowed = Self.neighbours[place.target] ?? []
                #expect(allowed.contains(module), "\(place.target) may not import its neighbour \(module)")
            } else {
                let areBeside = Self.sideBySide.contains(home) && Self.sideBySide.contains(place.floor)
                #expect(other > floor && !areBeside, "\(place.floor) may not import \(home)")
            }
        }
    }

    @Test("has a target for every folder and a test folder for every target that decides something")
    func folders() throws {
        let manifest = String(
            decoding: try SourceFile.read(SourceFile.root + "/Package.swift"),
            as: UTF8.self
        )
        for module in try Self.homes().keys {
            #expect(manifest.contains("\"\(module)\""), "\(module) is not in Package.swift")
        }
    }

    @Test("keeps files under 300 lines", arguments: try SwiftSource.all() + [SwiftSource.manifest()])
    func fileLengths(source: SwiftSource) {
        #expect(source.lines.count <= 300)
    }

    @Test("keeps functions under 70 lines", arguments: try SwiftSource.all())
    func functionLengths(source: SwiftSource) {
        for function in source.functions {
            #expect(function.lineCount <= 70, "\(function.name) at line \(function.line)")
        }
    }

    @Test(
        "keeps pointers in Interop, Platform and Request/FastCGI",
        arguments: try SwiftSource.all(in: ["Sources"])
    )
    func unsafety(source: SwiftSource) throws {
        guard let place = source.place, place.floor != "Platform", place.target != "FastCGI" else { return }
        for (index, line) in source.code.enumerated() {
            let words = line.split(whereSeparator: { !$0.isLetter && $0 != "@" })
            let found = words.contains { $0 == "unsafe" || $0.hasPrefix("Unsafe") || $0 == "OpaquePointer" }
            #expect(!found, "line \(index + 1)")
        }
    }

    @Test(
        "promises nothing and traps on nothing from outside",
        arguments: try SwiftSource.all(in: ["Sources"])
    )
    func bannedWords(source: SwiftSource) {
        let banned = ["TO" + "DO", "FIX" + "ME", "try" + "!", "fatal" + "Error(", "as" + "! "]
        for (index, line) in source.lines.enumerated() {
            for word in banned { #expect(!line.contains(word), "\(word) in line \(index + 1)") }
        }
        guard source.place?.floor != "Commands" else { return }
        for (index, line) in source.code.enumerated() {
            #expect(!line.contains("print("), "a library prints in line \(index + 1)")
        }
    }

    @Test("leaves Foundation and the argument parser out of the daemon")
    func daemonImports() throws {
        for source in try SwiftSource.all(in: ["Sources"]) where source.place?.target != "retentionctl" {
            for module in source.imports {
                #expect(!module.hasPrefix("Foundation") && module != "ArgumentParser", "\(source.path)")
            }
        }
    }

    /// Every target with its floor.
    private static func homes() throws -> [String: String] {
        var homes: [String: String] = [:]
        for path in try SourceFile.paths(below: "Sources") {
            let parts = path.split(separator: "/")
            if parts.count >= 4 { homes[String(parts[2])] = String(parts[1]) }
        }
        return homes
    }
}
