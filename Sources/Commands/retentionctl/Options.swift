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

/// The consent to a change that deletes or replaces something.
struct ConfirmOption: ParsableArguments {
    @Flag(help: "Change, replace or delete without asking.")
    var confirm = false

    /// Returns when the user agrees: by `--confirm`, or by a yes on a terminal.
    ///
    /// - Parameter question: what will be done, without a question mark.
    /// - Throws: `confirm.declined`, `confirm.missing`.
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

/// Checks options whose values are signed or compared with a signature.
enum IdentifierOption {
    /// Refuses a text that cannot be an identifier in the App Store. A nil `text` is an option that was left out.
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
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isWord, text.utf8.count <= 255 else {
            throw ValidationError("\(name) is not an identifier of App Store Connect: letters, digits and -.")
        }
    }
}

/// Checks that the files a command would write are different from each other and from the files that it reads.
enum OutputPaths {
    /// The file that a path leads to, or the directory entry for a file that does not exist yet.
    private enum Target: Hashable {
        case file(device: UInt64, inode: UInt64)
        case place(device: UInt64, inode: UInt64, name: String)

        init?(_ path: String) {
            guard path != "-" else {
                self.init(OutputPaths.standardInput())
                return
            }
            if let status = try? FileStatus(path: path) {
                self = .file(device: status.device, inode: status.inode)
                return
            }
            let (directory, name) = AtomicFile.split(path)
            guard let status = try? FileStatus(path: directory) else { return nil }
            self = .place(device: status.device, inode: status.inode, name: name)
        }

        private init?(_ standardInput: FileStatus?) {
            guard let standardInput, standardInput.kind == .regular else { return nil }
            self = .file(device: standardInput.device, inode: standardInput.inode)
        }
    }

    /// Refuses an output file that would replace an input, another output or a device.
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

    private static func standardInput() -> FileStatus? {
        let stream = FileDescriptor(takingOwnership: 0)
        let status = try? FileStatus(of: stream)
        _ = stream.release()
        return status
    }
}
