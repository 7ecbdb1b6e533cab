import Support
import Synchronization
import System
import Testing

/// A server that repeats the token of each request wherever it can. Neither the token nor the key is in anything that the
/// tool writes, or in the list of processes while the request is under way.
@Suite("The secrets of retentionctl apple")
struct AppleSecretTests {
    private static let commands: [[String]] = [
        [
            "api", "uploadImage", "-f", "imageIdentifier=\(AppleWorld.message)", "--input", "FILE",
            "--confirm",
        ],
        ["api", "listMessages"], ["api", "getURL"], ["api", "deleteURL", "--confirm"], ["auth"],
        ["performance-test", "2000000001"], ["performance-test", "--request-id", "R1"],
    ]

    /// Where the server puts the token.
    enum Place: CaseIterable {
        case success, refusal, redirection

        func reply(_ token: String) -> LoopbackServer.Reply {
            let body =
                #"{"realtimeURL":"\#(token)","result":"\#(token)","requestId":"\#(token)","#
                + #""errorCode":4000164,"errorMessage":"\#(token)","target":"\#(token)"}"#
            switch self {
            case .success: return AppleWorld.json(body)
            case .refusal: return AppleWorld.json(body, status: 400)
            case .redirection: return .respond(status: 307, headers: ["Location: https://a/\(token)"])
            }
        }
    }

    @Test("are shown nowhere, whatever the operation and the answer", arguments: commands, Place.allCases)
    func hidden(command: [String], place: Place) throws {
        let found = Mutex<[String]>([])
        let key = Mutex<[Substring]>([])
        let world = try AppleWorld { request in
            let token = String((request.headers["authorization"] ?? "").dropFirst("Bearer ".count))
            let secrets = key.withLock { $0 } + token.split(separator: ".").dropFirst()
            let lines = Self.processes().filter { line in secrets.contains { line.contains($0) } }
            found.withLock { $0 += lines }
            return place.reply(token)
        }
        // The first and the last line are the same for every key.
        key.withLock { $0 = Array(world.pem.split(separator: "\n").dropFirst().dropLast()) }
        try world.folder.write([0x89, 0x50], to: "a.png")
        let words = command.map { $0 == "FILE" ? world.folder.path(of: "a.png") : $0 }
        for more in [[], ["--json"]] {
            let run = try world.run(words, more: more)
            #expect(!run.output.contains("https://a/e") && !run.errors.contains("https://a/e"))
            if place != .success { #expect(run.status != 0) }
        }
        #expect(!world.received.isEmpty)
        #expect(found.withLock { $0 }.isEmpty)
    }

    /// The command lines of all processes.
    private static func processes() -> [String] {
        guard let folder = try? FileDescriptor.openDirectory(path: "/proc"),
            let names = try? Directory.names(in: folder, limitCount: 100_000)
        else { return [] }
        return names.filter { $0.utf8.first.map { (48...57).contains($0) } == true }.compactMap { name in
            (try? SourceFile.read("/proc/\(name)/cmdline")).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
