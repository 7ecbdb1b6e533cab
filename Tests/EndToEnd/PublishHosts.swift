import DataFiles
import JSON
import Support
import System
import Testing

/// Hosts for `retentionctl publish`, each with a real pool. The hosts are folders of this machine: a script takes the place
/// of ssh, and reaches only them. The real rsync copies.
struct PublishHosts {
    let folder: TemporaryDirectory
    private let names: [String]

    init(_ testers: [(name: String, tester: Tester)]) throws {
        folder = try TemporaryDirectory()
        names = testers.map(\.name)
        try folder.makeDirectory("hosts")
        // Called as ssh is: [-l user] host command.
        try folder.write(
            """
            #!/bin/sh
            if [ "$1" = -l ]; then shift 2; fi
            cd '\(folder.path)/hosts/'"$1" 2>/dev/null || exit 255
            shift
            PATH="$PWD/bin:$PATH" exec sh -c "$*"

            """,
            to: "shell",
            permissions: 0o755
        )
        for (name, tester) in testers {
            try folder.makeDirectory("hosts/\(name)")
            try folder.makeDirectory("hosts/\(name)/bin")
            let command = "exec '\(try Programs.daemon())' --config '\(tester.configurationPath)' \"$@\""
            try script(on: name, "retentiond", command)
        }
    }

    /// Puts a program into the PATH of a host.
    func script(on host: String, _ name: String, _ text: String) throws {
        try folder.write("#!/bin/sh\n\(text)\n", to: "hosts/\(host)/bin/\(name)", permissions: 0o755)
    }

    /// Rules that serve one message to everybody.
    static func rules(_ message: TestRules, environment: String = "Production") -> String {
        """
        { "format": 1, "app": { "appAppleId": \(TestPayload.appAppleId), "bundleId": "com.example.app" },
          "environment": "\(environment)", "locales": { "last": "en-US" },
          "messages": { "value": { "kind": "text", "ids": { "en-US": "\(message.rawValue)" } } },
          "default": { "serve": { "message": "value" } } }
        """
    }

    /// Apple's lists: both messages of ``TestRules`` in a state.
    static func inventory(_ state: String) -> String {
        let list = TestRules.allCases.map {
            #"{"messageIdentifier":"\#($0.rawValue)","messageState":"\#(state)"}"#
        }
        return #"{"messageIdentifiers":[\#(list.joined(separator: ","))]}"#
    }

    /// Publishes rules to all hosts, in their order.
    func publish(
        _ rules: String, environment: String = "Production", state: String = "APPROVED", _ more: [String] = []
    ) throws -> ProgramRun {
        try folder.write(rules, to: "rules.json")
        try folder.write(Self.inventory(state), to: "inventory.json")
        return try Programs.run(
            Programs.tool(),
            ["publish", folder.path(of: "rules.json"), "--environment", environment]
                + [
                    "--inventory", folder.path(of: "inventory.json"), "--remote-shell",
                    folder.path(of: "shell"),
                ]
                + ["--retentiond", "retentiond", "--reload", "retentiond --reload"]
                + names.flatMap { ["--host", $0] } + more
        )
    }

    /// What a pool says itself that it serves.
    struct Served: Equatable {
        let sequence: Int64
        let result: String
        let digest: String
    }

    /// Asks a pool what it serves to the app of the tests.
    static func served(_ tester: Tester, environment: String = "Production") throws -> Served {
        let run = try Programs.run(Programs.daemon(), ["--config", tester.configurationPath, "--served"])
        let limits = JSONLimits(byteCount: 1 << 20, depth: 8)
        let root = try JSONDocument(parsing: Array(run.output.utf8).span, limits: limits).root
        let file = root.member("files")?.elements.first { $0.member("environment")?.string == environment }
        return Served(
            sequence: root.member("sequence")?.int64 ?? 0, result: root.member("result")?.string ?? "",
            digest: file?.member("digest")?.string ?? "")
    }
}
