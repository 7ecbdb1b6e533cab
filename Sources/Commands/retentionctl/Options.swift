package import AppStoreServerAPI
public import ArgumentParser
package import Authoring
internal import CommandLineTool
package import Facts
package import Reply
internal import System

extension AppStoreServerOperation: ExpressibleByArgument {}

extension FactsFormat: ExpressibleByArgument {}

extension FactsBuilder.Duplicates: ExpressibleByArgument {}

extension OfferSignature: ExpressibleByArgument {}

struct ConfirmOption: ParsableArguments {
    @Flag(help: "Change, replace or delete without asking.")
    var confirm = false

    /// Returns when the user agrees: by `--confirm`, or by a yes on a terminal. `question` has no question mark.
    func ask(_ question: String) throws {
        guard !confirm else { return }
        guard Console.canAsk else {
            throw ToolError(
                .usage, code: "confirm.missing", "\(question): nobody is there to be asked",
                hint: "--confirm")
        }
        guard Console.asks("\(question)? [y/N] ") else {
            throw ToolError(.no, code: "confirm.declined", "nothing was changed")
        }
    }
}

enum IdentifierOption {
    static func check(_ name: String, _ text: String?) throws {
        guard let text else { return }
        guard !text.isEmpty else { throw ValidationError("\(name) must not be empty.") }
        guard StoreIdentifier.isPossible(text) else {
            throw ValidationError("\(name) must not have control characters or U+2063.")
        }
    }

    /// Refuses a text that the service's configuration would refuse as the identifier of a key or an issuer.
    static func checkKey(_ name: String, _ text: String?) throws {
        guard let text else { return }
        guard !text.isEmpty else { throw ValidationError("\(name) must not be empty.") }
        guard text.wholeMatch(of: /[A-Za-z0-9\-]{1,255}/) != nil else {
            throw ValidationError("\(name) is not an identifier of App Store Connect: letters, digits and -.")
        }
    }
}

/// Checks that the files a command would write are different from each other and from the files that it reads.
enum OutputPaths {
    /// The file that a path leads to, or the directory entry for a file that does not exist yet.
    private struct Target: Hashable {
        let device: UInt64
        let inode: UInt64
        var name: String?

        init?(_ path: String) {
            var status: FileStatus?
            if path == "-" {
                status = try? FileStatus(of: FileDescriptor.duplicate(of: 0))
                guard status?.kind == .regular else { return nil }
            } else {
                status = try? FileStatus(path: path)
            }
            if status == nil {
                let (directory, name) = AtomicFile.split(path)
                status = try? FileStatus(path: directory)
                self.name = name
            }
            guard let status else { return nil }
            (device, inode) = (status.device, status.inode)
        }
    }

    static func check(writing outputs: [String], reading inputs: [String]) throws(ValidationError) {
        let read = Set(inputs.compactMap { Target($0) })
        var written: Set<Target> = []
        for path in outputs {
            guard path != "-" else { throw ValidationError("Standard output takes no file.") }
            if let status = try? FileStatus(path: path), status.kind == .other || status.kind == .socket {
                throw ValidationError("\(path) is not a regular file.")
            }
            // Without the directory there is nothing to compare, and the write will fail by itself.
            guard let target = Target(path) else { continue }
            guard !read.contains(target) else {
                throw ValidationError("\(path) is read and would be written over.")
            }
            guard written.insert(target).inserted else {
                throw ValidationError("\(path) would be written twice.")
            }
        }
    }
}
