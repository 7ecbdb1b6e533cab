/// The settings from the command line `benchmarks NAME=VALUE…`, which `Tests/Benchmarks/run` writes.
struct Plan {
    /// The temporary folder.
    let workspace: Workspace
    /// The folder with the C program `responder`.
    let tools: String
    /// The folder with the executables of the package.
    let products: String
    /// The repository's nginx folder.
    let nginx: String
    /// A group of the user who runs this.
    let group: String
    /// The file to which the figures are written as JSON; nil when no such file is wanted.
    let json: String?
    /// The number of pairs in each comparison.
    let pairs: Int
    /// True when figures that take minutes are measured, too.
    let isFull: Bool
    /// The figures to measure, all when empty.
    let only: Set<Substring>

    init(_ arguments: [String]) throws {
        var values: [Substring: String] = [:]
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Failure("not NAME=VALUE: \(argument)") }
            values[parts[0]] = String(parts[1])
        }
        func value(_ name: Substring) throws -> String {
            guard let value = values[name] else { throw Failure("\(name)= is missing") }
            return value
        }
        workspace = Workspace(path: try value("workspace"))
        tools = try value("tools")
        products = try value("products")
        nginx = try value("nginx")
        group = try value("group")
        json = values["json"]
        pairs = values["pairs"].flatMap { Int($0) } ?? 9
        isFull = values["full"] == "yes"
        only = Set(values["only"]?.split(separator: ",").map { $0 } ?? [])
    }

    func wants(_ name: Substring) -> Bool { only.isEmpty || only.contains(name) }

    /// Returns true when a figure of facts is wanted; the name `facts` stands for all of them.
    func wantsFacts(_ name: Substring) -> Bool { wants(name) || only.contains("facts") }
}
