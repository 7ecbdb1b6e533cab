import FastCGI
import JSON
import Support
import Testing

@testable import Endpoints

/// What exporters for php-fpm read of our status page. The tables have what `phpfpm/phpfpm.go` of hipages/php-fpm_exporter
/// decodes.
@Suite("Exporters for php-fpm")
struct ExporterTests {
    /// The types of Go into which an exporter decodes JSON.
    private enum GoType {
        case string
        /// `int64`, and what an exporter reads with `strconv.Atoi`: a number with a fraction fails the whole scrape.
        case integer
        /// `float64`.
        case number
        /// A slice of structures.
        case list

        func takes(_ value: JSONValue) -> Bool {
            switch self {
            case .string: value.string != nil
            case .integer: value.kind == .integer && value.int64 != nil
            case .number: [.integer, .real].contains(value.kind)
            case .list: value.kind == .array && value.elements.allSatisfy { $0.kind == .object }
            }
        }
    }

    private static let pool: [(String, GoType)] = [
        ("pool", .string), ("process manager", .string), ("start time", .integer), ("start since", .integer),
        ("accepted conn", .integer), ("listen queue", .integer), ("max listen queue", .integer),
        ("listen queue len", .integer), ("idle processes", .integer), ("active processes", .integer),
        ("total processes", .integer), ("max active processes", .integer), ("max children reached", .integer),
        ("slow requests", .integer), ("processes", .list),
    ]
    private static let process: [(String, GoType)] = [
        ("pid", .integer), ("state", .string), ("start time", .integer), ("start since", .integer),
        ("requests", .integer), ("request duration", .integer), ("request method", .string),
        ("request uri", .string), ("content length", .integer), ("user", .string), ("script", .string),
        ("last request cpu", .number), ("last request memory", .integer),
    ]

    /// Go takes a member for a field also when the names differ in case, and the last such member counts.
    private static func expect(_ fields: [(String, GoType)], in value: JSONValue) {
        for (name, type) in fields {
            let members = value.members.filter { $0.name.lowercased() == name }
            #expect(members.count == 1 && members.allSatisfy { type.takes($0.value) }, "\(name)")
        }
    }

    @Test("that decode JSON find each of their fields once, with its type")
    func decoded() throws {
        // hipages/php-fpm_exporter asks with these switches.
        let root = try StatusTests.json(StatusTests.world(), "json&full")
        Self.expect(Self.pool, in: root)
        let processes = try #require(root.member("processes")?.elements)
        #expect(processes.count == 1)
        for process in processes { Self.expect(Self.process, in: process) }
        // It counts the processes itself, by these words, and compares.
        let states = processes.compactMap { $0.member("state")?.string }
        #expect(root.member("active processes")?.int64 == Int64(states.count { $0 == "Running" }))
        #expect(root.member("idle processes")?.int64 == Int64(states.count { $0 == "Idle" }))
    }
}
