import Support
import Testing

@Suite("The source tree")
struct HouseTests {
    /// The floors from the top to the ground. A floor imports only floors below it.
    static let floors = [
        "Commands", "Service", "Authoring", "Apple", "Record", "Reply", "Decision", "Request", "Platform",
        "Interop",
    ]
    /// Floors that may not be imported although they stand below: the daemon writes no data file and asks nobody.
    static let forbidden: [String: Set<String>] = ["Service": ["Authoring", "Apple"]]
    /// Imports inside one floor: each target with the targets that it may import.
    static let neighbours: [String: Set<String>] = [
        "System": ["Vocabulary"], "JSON": ["Vocabulary"], "Cryptography": ["Vocabulary"],
        "CertificateAuthority": ["Cryptography", "Vocabulary"], "HTTPClient": ["Vocabulary"],
        "PNG": ["System", "Vocabulary"], "SQL": ["Vocabulary"],
        "TokenSigning": ["Cryptography", "JSON"],
        "Decisions": ["DataFiles"], "RulesReading": ["DataFiles", "Decisions"],
        "AppStoreTraffic": ["AppStoreServerAPI"],
        "AppStoreSimulator": ["AppStoreServerAPI", "AppStoreTraffic"],
        "Recovery": ["AppStoreServerAPI"],
        "Answers": ["OfferSigning"],
        "Loader": ["Configuration"],
        "Endpoints": ["Configuration", "Loader", "Telemetry"],
        "Worker": ["Control"],
        "NotificationForwarding": ["NotificationStore"],
        "SubscriberHistory": ["NotificationStore"],
        "Recorder": ["Configuration", "Endpoints", "Loader", "Supervisor", "Telemetry"],
        "CataloguePage": ["Catalogue"],
        "FactsCompiler": ["DataFileWriting"],
        "Supervisor": ["Configuration", "Control", "Loader", "Telemetry"],
    ]
    /// The modules that come with the compiler.
    static let given: Set<String> = ["Glibc", "Synchronization", "Testing", "PackageDescription"]
    /// The modules that come with the compiler or from the listed packages.
    static let outside = given.union(["Logging", "ArgumentParser"])

    @Test("imports only downwards", arguments: try SwiftSource.all(in: ["Sources"]))
    func arrows(source: SwiftSource) throws {
        guard let place = source.place else { return }
        let homes = try Self.homes()
        let floor = try #require(Self.floors.firstIndex(of: place.floor), "unknown floor \(place.floor)")
        for module in source.imports where !Self.outside.contains(module) {
            let home = try #require(homes[module], "\(module) is not a target of the house")
            let other = try #require(Self.floors.firstIndex(of: home))
            if home == place.floor {
                let allowed = Self.neighbours[place.target] ?? []
                #expect(allowed.contains(module), "\(place.target) may not import its neighbour \(module)")
            } else {
                let isForbidden = Self.forbidden[place.floor]?.contains(home) ?? false
                #expect(other > floor && !isForbidden, "\(place.floor) may not import \(home)")
            }
        }
    }

    /// The folders that test the programs. A program has no module that tests could import under its name.
    static let testsOfPrograms = [
        "retentiond": "EndToEnd", "retentiond-recorder": "EndToEnd", "retentionctl": "RetentionCtl",
    ]
    /// Libraries that are tested with another one, in its folder. The reader's errors are those of the compiler.
    static let testsOfOthers = ["RulesReading": "RulesCompiler"]

    @Test("has every floor, and every allowed import between neighbours")
    func floorsAndNeighbours() throws {
        let homes = try Self.homes()
        #expect(Set(homes.values) == Set(Self.floors))
        for (target, neighbours) in Self.neighbours {
            let sources = try SwiftSource.all(in: ["Sources"]).filter { $0.place?.target == target }
            let imported = Set(sources.flatMap(\.imports))
            #expect(neighbours.isSubset(of: imported), "\(target) does not import all of \(neighbours)")
        }
    }

    @Test("has a row in Package.swift for every folder, and a folder for every row")
    func rows() throws {
        var homes = try Self.homes()
        for row in try ManifestRow.all(of: "house") {
            #expect(homes.removeValue(forKey: row.name) == row.place, "\(row.name) is in another folder")
        }
        let manifest = try SwiftSource.manifest().lines.joined()
        for (name, floor) in homes {
            #expect(floor == "Interop" && manifest.contains("ystem"), "\(name) has no row")
            #expect(manifest.contains("\"\(name)\""), "\(name) is not a target")
        }
    }

    @Test(
        "imports exactly the modules that Package.swift declares",
        arguments: try ["house", "tests", "fuzzing", "shared", "programs"].flatMap(ManifestRow.all)
    )
    func uses(row: ManifestRow) throws {
        let sources = try SwiftSource.all(in: [row.folder])
        #expect(!sources.isEmpty, "no sources")
        let imported = Set(sources.flatMap(\.imports)).subtracting(Self.given)
        // A program is not a module, so its tests do not import it. They run it.
        #expect(row.uses.subtracting(Self.testsOfPrograms.keys) == imported)
    }

    @Test(
        "has tests for every target",
        arguments: try Self.homes().filter { $0.value != "Interop" }.keys.sorted()
    )
    func tests(target: String) throws {
        let folder = Self.testsOfPrograms[target] ?? Self.testsOfOthers[target] ?? target
        let sources = try SwiftSource.all(in: ["Tests/\(folder)"])
        #expect(sources.contains { $0.code.contains { $0.contains("@Test") } }, "the folder has no tests")
        if Self.testsOfPrograms[target] == nil {
            #expect(sources.contains { $0.imports.contains(target) }, "no test imports \(target)")
        }
        let rows = try ManifestRow.all(of: "tests")
        #expect(rows.contains { $0.folder == "Tests/\(folder)" }, "not in Package.swift")
    }

    @Test("keeps files under 600 lines", arguments: try SwiftSource.all() + [SwiftSource.manifest()])
    func fileLengths(source: SwiftSource) {
        #expect(source.lines.count <= 600)
    }

    @Test("runs the suites with exit tests before the others")
    func exitTests() throws {
        let text = String(decoding: try SourceFile.read("\(SourceFile.root)/Tests/run"), as: UTF8.self)
        // The pattern stands between quotes, in several lines.
        let parts = text.split(separator: "\n").filter { $0.hasPrefix("exits") }.map {
            $0.split(separator: "'", omittingEmptySubsequences: false)[1]
        }
        let pattern = try Regex(parts.joined())
        let rows = try ManifestRow.all(of: "tests")
        let sources = try SwiftSource.all(in: ["Tests"]).filter { source in
            source.code.contains { $0.contains("processExitsWith:") }
        }
        #expect(sources.count > 1)
        for source in sources {
            let suite = try #require(source.path.split(separator: "/").last).dropLast(".swift".count)
            let row = try #require(rows.first { source.path.hasPrefix($0.folder + "/") })
            #expect("\(row.name).\(suite)/test()".contains(pattern), "Tests/run does not name \(source.path)")
        }
        #expect(!"EndToEndTests.KillTests/test()".contains(pattern))
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

    @Test("makes no errno that no system call returned: a fact of our own is a SystemFault")
    func errnos() throws {
        // `SystemCallError.last` reads errno; posix_spawn(3) and pthread_create(3) return their errno.
        let places = [
            "SystemCallError.swift", "ChildProcess.swift", "ServiceThread.swift",
        ]
        let sources = try SwiftSource.all(in: ["Sources"])
        for source in sources where !places.contains(where: source.path.hasSuffix) {
            for (index, line) in source.code.enumerated() {
                let isMade = line.contains("SystemCallError(call:") || line.contains("FailedCall(")
                #expect(!isMade, "\(source.path) makes an errno in line \(index + 1)")
            }
        }
    }

    @Test("sets no errno in the C shims: they add no policy of their own")
    func shimErrnos() throws {
        let assignment = /\berrno\s*=(?!=)|__errno_location|\(\s*errno\s*\)\s*=(?!=)/
        // The pattern finds what it is for, and leaves a comparison alone.
        #expect("if (n < 0) errno = EINVAL;".contains(assignment) && !"errno == EINTR".contains(assignment))
        let headers = try SourceFile.paths(below: "Sources/Interop").filter {
            $0.hasSuffix(".h") || $0.hasSuffix(".c")
        }
        #expect(!headers.isEmpty)
        for path in headers {
            let text = String(decoding: try SourceFile.read(SourceFile.root + "/" + path), as: UTF8.self)
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                #expect(!line.contains(assignment), "\(path) sets errno in line \(index + 1)")
            }
        }
    }

    @Test(
        "has no to-do notes, forced tries, forced casts or fatal errors, and no library that prints",
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

    @Test("pins every dependency exactly")
    func dependencies() throws {
        let lines = try SwiftSource.manifest().lines.filter { $0.contains(".package(url:") }
        #expect(lines.count == 2)
        for line in lines { #expect(line.contains("exact: \""), "\(line)") }
    }

    /// The floor of every target.
    private static let floorOfTarget = Result {
        var homes: [String: String] = [:]
        for path in try SourceFile.paths(below: "Sources") {
            let parts = path.split(separator: "/")
            if parts.count >= 4 { homes[String(parts[2])] = String(parts[1]) }
        }
        return homes
    }

    private static func homes() throws -> [String: String] { try floorOfTarget.get() }
}
