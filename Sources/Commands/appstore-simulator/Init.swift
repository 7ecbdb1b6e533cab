internal import AppStoreSimulator
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

/// Makes a test authority: the certificates and keys with which the program signs as Apple would.
struct Init: ToolCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a test certificate authority like Apple's.",
        discussion: """
            Writes root.pem (the anchor to configure), intermediate.pem, leaf.pem and their keys. For the web server \
            in front of the service it writes tls-server.pem and tls-server.key (for localhost and 127.0.0.1), and \
            tls-authority.pem (for --cacert). Only their owner can read the keys. The command never overwrites an \
            existing authority.

            Example:
              appstore-simulator init ./authority
            """
    )

    @Argument(help: "The directory to write to.", completion: .directory)
    var directory: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        do throws(AppStoreTrafficError) {
            try TestAuthority.create(in: directory, nowMilliseconds: Clock.wallMilliseconds())
        } catch {
            guard case .file(let path, let cause) = error else { throw error }
            throw ToolError(cause, file: path)
        }
        let files = TestAuthority.File.allCases.map { TestAuthority.path($0, directory) }
        if output.json {
            Console.print(.object([("files", .array(files.map { .string($0) }))]))
        } else {
            Console.print(lines: files)
        }
    }
}
