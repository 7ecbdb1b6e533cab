/// What the command line says: `benchmarks NAME=VALUE…`, written by `Tests/Benchmarks/run`.
struct Plan {
    /// The temporary folder.
    let workspace: Workspace
    /// The folder with the C programs `load` and `responder`.
    let tools: String
    /// The folder with the executables of the package.
    let products: String
    /// The repository's nginx folder.
    let nginx: String
    /// A group of the user who runs this.
    let group: String
    /// Where the figures are written as JSON, if anywhere.
    let json: String?
    /// Pairs of each comparison.
    let pairs: Int
    /// Whether what takes minutes is measured too.
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
            guard let value = values[name] else { throw Failure("no \(name)=") }
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

    /// A figure of facts, all of which `facts` stands for.
    func wantsFacts(_ name: Substring) -> Bool { wants(name) || only.contains("facts") }
}
