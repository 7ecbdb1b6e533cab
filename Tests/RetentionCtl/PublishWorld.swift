import Support
import System

/// Hosts that are folders of this machine, for `retentionctl publish`. A script takes the place of ssh, and on each host a
/// script takes the place of retentiond. The real rsync copies.
final class PublishWorld {
    let folder: TemporaryDirectory

    /// The words after the command: hosts, and how they are reached.
    func options(_ hosts: [String] = ["one"]) -> [String] {
        hosts.flatMap { ["--host", $0] } + [
            "--remote-shell", "'\(folder.path(of: "remote shell"))'", "--retentiond",
            "retentiond --config 'a b'",
            "--reload", "reload",
        ]
    }

    init() throws {
        folder = try TemporaryDirectory()
        try folder.makeDirectory("hosts")
        // Called as ssh is: [-l user] host command. It reaches only the folders below hosts.
        try folder.write(
            """
            #!/bin/sh
            printf '%s\\n' "$@" >>'\(folder.path)/asked'
            env >>'\(folder.path)/environment'
            if [ "$1" = -l ]; then shift 2; fi
            cd '\(folder.path)/hosts/'"$1" 2>/dev/null || { echo "no route to $1" >&2; exit 255; }
            shift
            PATH="$PWD/bin:$PATH" exec sh -c "$*"

            """,
            to: "remote shell",
            permissions: 0o755
        )
        try folder.write(Self.rules(), to: "rules.json")
        try knows([Self.identifier: "APPROVED"])
    }

    static let identifier = "551ee7c0-c097-418e-9dd5-2a98533a7390"

    /// Rules that serve one message.
    static func rules(environment: String = "Production", message: String = "text") -> String {
        """
        { "format": 1, "app": { "appAppleId": 7, "bundleId": "com.example.app" },
          "environment": "\(environment)", "locales": { "last": "en-US" },
          "messages": { "text": { "kind": "text", "ids": {
            "en-US": "\(identifier)" } } },
          "rules": [], "default": { "serve": { "message": "\(message)" } } }
        """
    }

    /// Writes the state of a catalogue, in which Apple has these messages.
    func knows(_ messages: [String: String]) throws {
        for environment in ["Production", "Sandbox"] {
            try folder.write(
                Self.state(messages), to: "com.example.app-\(environment).state.json")
        }
    }

    static func state(_ messages: [String: String]) -> String {
        let items = messages.map { #""message \#($0)": {"state": "\#($1)"}"# }.joined(separator: ",")
        return #"{"format": 1, "state": {"items": {\#(items)}, "defaults": {}, "unsettled": {}}}"#
    }

    /// Makes a host. `files` are the entries of the files that it serves, as JSON; `served` and `reload` are the scripts of
    /// retentiond and of the reload there.
    func addHost(
        _ name: String, data: String = "data", files: String = "[]", served: String? = nil,
        reload: String = "exit 0", signingApps: [Int] = []
    ) throws {
        for path in ["hosts/\(name)", "hosts/\(name)/bin", "hosts/\(name)/\(data)"]
        where (try? FileStatus(path: folder.path(of: path))) == nil { try folder.makeDirectory(path) }
        let directory = folder.path(of: "hosts/\(name)/\(data)").replacing("\"", with: "\\\"")
        try folder.write(
            #"{"dataDirectory":"\#(directory)","sequence":4,"result":"loaded","files":\#(files),"signingApps":\#(signingApps)}"#,
            to: "hosts/\(name)/served.json"
        )
        try script(name, "retentiond", served ?? "cat served.json")
        try script(name, "reload", reload)
    }

    private func script(_ host: String, _ name: String, _ text: String) throws {
        try folder.write("#!/bin/sh\n\(text)\n", to: "hosts/\(host)/bin/\(name)", permissions: 0o755)
    }

    /// The words of `publish` for the rules with the states.
    func words(_ hosts: [String] = ["one"]) -> [String] {
        ["publish", folder.path(of: "rules.json"), "--state", folder.path] + options(hosts)
    }

    func run(_ more: [String] = [], hosts: [String] = ["one"]) throws -> ProgramRun {
        try Tool.run(words(hosts) + more)
    }

    /// What the remote shell was asked for so far: its arguments, one on each line.
    var asked: String { (try? folder.read("asked")).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The names in a folder of a host.
    func names(_ path: String) throws -> [String] {
        let directory = try FileDescriptor.openDirectory(path: folder.path(of: "hosts/\(path)"))
        return try Directory.names(in: directory, limitCount: 100).sorted()
    }
}
