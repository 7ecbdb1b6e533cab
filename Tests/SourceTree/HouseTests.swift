import Support
import Testing

@Suite("The source tree")
struct HouseTests {
    /// Floors that do not import each other. The daemons write no data file of their own accord and ask nobody.
    static let apart: [String: Set<String>] = ["Service": ["Authoring", "Apple"], "Authoring": ["Service"]]

    @Test(
        "imports only modules that stand above in Package.swift",
        arguments: try SwiftSource.all(in: ["Sources"]))
    func arrows(source: SwiftSource) throws {
        guard let place = source.place else { return }
        let modules = try Self.modules()
        let own = try #require(modules.firstIndex { $0.name == place.target }, "not in Package.swift")
        for module in source.imports {
            guard let index = modules.firstIndex(where: { $0.name == module }) else { continue }
            #expect(index < own, "\(place.target) may not import \(module)")
            #expect(Self.apart[place.floor]?.contains(modules[index].floor) != true, "\(module)")
        }
    }

    /// The targets of the house with their floors, from the ground to the top, as Package.swift lists them.
    private static func modules() throws -> [(name: String, floor: String)] {
        try SwiftSource.manifest().lines.joined().matches(of: /path: "Sources\/(\w+)\/([\w-]+)"/)
            .map { (String($0.output.2), String($0.output.1)) }
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

    @Test("leaves Foundation and the argument parser out of the daemons")
    func daemonImports() throws {
        // The tools alone link what is in Authoring, and the simulator.
        let tools = [
            "AppStoreServerAPI", "AppStoreSimulator", "CommandLineTool", "Recovery", "appstore-simulator",
            "retentionctl",
        ]
        for source in try SwiftSource.all(in: ["Sources"])
        where !tools.contains(source.place?.target ?? "") && source.place?.floor != "Authoring" {
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
}
