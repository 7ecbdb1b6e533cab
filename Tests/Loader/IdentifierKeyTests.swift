import Configuration
import Cryptography
@testable import Pool
import Support
import System
import Testing

@Suite("The key of the decision records")
struct IdentifierKeyTests {
    private static let digits = String(repeating: "0f", count: 32)

    private static func load(_ world: LoaderWorld) -> Result<IdentifierKey?, ServiceError> {
        do throws(ServiceError) {
            let number = try world.load().manifest.sequence
            return .success(try Generation(directory: world.store.path(of: number)).identifierKey)
        } catch {
            return .failure(error)
        }
    }

    private static func code(_ world: LoaderWorld) -> String? {
        if case .failure(let error) = load(world) { error.code } else { nil }
    }

    private static func settings(_ world: LoaderWorld, file: String? = nil) -> String {
        let key = file.map { #", "identifierKeyFile": "\#(world.folder.path(of: $0))""# } ?? ""
        return #", "log": {"decisions": "\#(world.folder.path(of: "d.ndjson"))"}\#(key)"#
    }

    @Test("is created once, readable only for its owner, and is part of the generation")
    func createdOnce() throws {
        let world = try LoaderWorld()
        try world.configure(Self.settings(world))
        let first = try #require(try Self.load(world).get())
        #expect(Set(first.text).count > 8)
        let path = world.folder.path(of: "state/identifier.key")
        #expect(try FileStatus(path: path).permissions == 0o600)
        let text = String(decoding: try world.folder.read("state/identifier.key"), as: UTF8.self)
        #expect(text == "\(first.text)\n")
        #expect(try Self.load(world).get() == first)
        let directory = world.store.path(of: world.store.lastNumber)
        for name in try world.names(directory) {
            let bytes = try SourceFile.read("\(directory)/\(name)")
            #expect(!String(decoding: bytes, as: UTF8.self).contains(first.text), "\(name) has the key")
        }
    }

    @Test("is neither read nor created when no records are written")
    func unused() throws {
        let world = try LoaderWorld(#", "identifierKeyFile": "/nowhere""#)
        #expect(try Self.load(world).get() == nil)
        #expect(throws: SystemCallError.self) {
            try FileStatus(path: world.folder.path(of: "state/identifier.key"))
        }
    }

    @Test(
        "must be 64 hexadecimal digits that only its owner can read",
        arguments: [
            (digits, 0o600, nil), (digits + "\n", 0o400, nil), (digits.uppercased(), 0o600, nil),
            (digits, 0o640, "identifier-key-exposed"), (digits, 0o604, "identifier-key-exposed"),
            ("", 0o600, "identifier-key-invalid"), ("\n", 0o600, "identifier-key-invalid"),
            (String(digits.dropLast()), 0o600, "identifier-key-invalid"),
            (digits + "0", 0o600, "identifier-key-invalid"),
            (digits + "\n\n", 0o600, "identifier-key-invalid"),
            (digits + "\r\n", 0o600, "identifier-key-invalid"),
            (String(digits.dropLast()) + "g", 0o600, "identifier-key-invalid"),
            (String(repeating: "0", count: 4096), 0o600, "identifier-key-unreadable"),
        ] as [(String, Int, String?)]
    )
    func content(text: String, permissions: Int, code: String?) throws {
        let world = try LoaderWorld()
        try world.configure(Self.settings(world, file: "key"))
        try world.folder.write(text, to: "key", permissions: UInt32(permissions))
        switch Self.load(world) {
        case .success(let key): #expect(code == nil && key?.text == Self.digits)
        case .failure(let error):
            #expect(error.code == code)
            // The error has no digit of the key.
            #expect(!error.description.contains("0f0f"))
        }
    }

    @Test("does not help when the file of the records cannot be opened: the load is refused")
    func unwritable() throws {
        let world = try LoaderWorld()
        try world.configure(#", "log": {"decisions": "\#(world.folder.path)/missing/d"}"#)
        #expect(Self.code(world) == "decisions-unwritable")
    }
}
